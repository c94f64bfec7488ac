import { Check, ChevronRight } from 'lucide-react';
import type { ReactElement, ReactNode, RefObject } from 'react';
import {
  Button as AriaButton,
  Header,
  Menu as AriaMenu,
  MenuItem as AriaMenuItem,
  type MenuItemProps as AriaMenuItemProps,
  MenuSection as AriaMenuSection,
  type MenuSectionProps as AriaMenuSectionProps,
  MenuTrigger,
  Popover,
  Separator,
  SubmenuTrigger,
} from 'react-aria-components';

const LAYER =
  'min-w-48 animate-fade overflow-auto rounded-lg border border-line bg-raised p-1 shadow-lift outline-none';

interface MenuProps {
  /** The button that opens it. */
  trigger: ReactNode;
  label: string;
  placement?: 'bottom start' | 'bottom end' | 'top start';
  children: ReactNode;
}

/** `<Menu trigger={<IconButton …/>} label="…"><MenuItem onAction={…}>…</MenuItem></Menu>` */
export function Menu({ trigger, label, placement = 'bottom end', children }: MenuProps) {
  return (
    <MenuTrigger>
      {trigger}
      <Popover placement={placement} className={LAYER}>
        <AriaMenu aria-label={label} className="max-w-72 outline-none">
          {children}
        </AriaMenu>
      </Popover>
    </MenuTrigger>
  );
}

interface MenuLayerProps {
  /** The button that stays where it is; it says itself that it opens a menu. */
  triggerRef: RefObject<HTMLButtonElement | null>;
  isOpen: boolean;
  onOpenChange: (isOpen: boolean) => void;
  label: string;
  placement?: 'bottom start' | 'bottom end';
  /** Puts a field that searches the menu around it. */
  wrap?: ((menu: ReactElement) => ReactNode) | undefined;
  children: ReactNode;
}

/** Only the menu, for a button that was there before the menu was loaded. */
export function MenuLayer({
  triggerRef,
  isOpen,
  onOpenChange,
  label,
  placement = 'bottom end',
  wrap,
  children,
}: MenuLayerProps) {
  const menu = (
    <AriaMenu
      aria-label={label}
      // A search field takes the focus itself.
      {...(wrap ? {} : { autoFocus: 'first' as const })}
      className="max-w-72 outline-none"
    >
      {children}
    </AriaMenu>
  );
  return (
    <MenuTrigger isOpen={isOpen} onOpenChange={onOpenChange}>
      {/* A trigger of its own, never seen: submenus need one above them. */}
      <AriaButton excludeFromTabOrder aria-hidden aria-label={label} className="hidden" />
      <Popover triggerRef={triggerRef} placement={placement} className={LAYER}>
        {wrap ? wrap(menu) : menu}
      </Popover>
    </MenuTrigger>
  );
}

export interface MenuItemProps extends Omit<AriaMenuItemProps, 'className' | 'style' | 'children'> {
  icon?: ReactNode;
  variant?: 'plain' | 'danger';
  /** What is chosen now, at the end of the row. */
  hint?: ReactNode;
  /** A second line. */
  detail?: string;
  children: string;
}

/** In a section with `selectionMode`, the chosen items carry a tick. */
export function MenuItem({ icon, variant = 'plain', hint, detail, children, ...props }: MenuItemProps) {
  return (
    <AriaMenuItem
      textValue={children}
      {...props}
      className={`flex cursor-pointer items-center gap-2.5 rounded-md px-2.5 py-1.5 no-underline outline-none data-disabled:cursor-not-allowed data-disabled:opacity-50 data-focused:bg-hover pointer-coarse:min-h-11 [&_svg]:size-4 [&_svg]:shrink-0 ${variant === 'danger' ? 'text-danger' : ''}`}
    >
      {({ selectionMode, isSelected, hasSubmenu }) => (
        <>
          {icon && <span className={variant === 'danger' ? '' : 'text-ink-muted'}>{icon}</span>}
          <span className="min-w-0 flex-1 truncate">
            {children}
            {detail && <span className="block truncate text-xs text-ink-muted">{detail}</span>}
          </span>
          {hint && <span className="text-ink-muted">{hint}</span>}
          {selectionMode !== 'none' && (
            <Check aria-hidden className={`text-accent ${isSelected ? '' : 'invisible'}`} />
          )}
          {hasSubmenu && <ChevronRight aria-hidden className="text-ink-muted" />}
        </>
      )}
    </AriaMenuItem>
  );
}

interface MenuSectionProps extends Omit<AriaMenuSectionProps<object>, 'className' | 'style' | 'children'> {
  /** Shown above the items. */
  title?: string;
  /** For screen readers only, where no title is shown. */
  label?: string;
  /** Stays at the bottom while the items above it scroll. */
  isPinned?: boolean;
  children: ReactNode;
}

export function MenuSection({ title, label, isPinned = false, children, ...props }: MenuSectionProps) {
  return (
    <AriaMenuSection
      {...props}
      aria-label={title ?? label}
      className={isPinned ? 'sticky -bottom-1 mt-1 -mb-1 border-t border-line bg-raised py-1' : ''}
    >
      {title && <Header className="px-2.5 pt-2 pb-1 text-xs font-medium text-ink-muted">{title}</Header>}
      {children}
    </AriaMenuSection>
  );
}

export function MenuSeparator() {
  return <Separator className="my-1 border-t border-line" />;
}

/** A menu behind an item: `<Submenu item={<MenuItem>…</MenuItem>} label="…">…</Submenu>` */
export function Submenu({
  item,
  label,
  children,
}: {
  item: ReactElement;
  label: string;
  children: ReactNode;
}) {
  return (
    <SubmenuTrigger>
      {item}
      <Popover placement={hasRoomBeside() ? 'start top' : 'bottom end'} className={LAYER}>
        <AriaMenu aria-label={label} className="outline-none">
          {children}
        </AriaMenu>
      </Popover>
    </SubmenuTrigger>
  );
}

/** On a phone two menus do not fit side by side. */
function hasRoomBeside(): boolean {
  return window.matchMedia('(min-width: 40rem)').matches;
}
