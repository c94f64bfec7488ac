import { useEffect, useRef, type ReactNode } from 'react';
import { usePage } from './page-context.tsx';
import { subtitleOf } from './view.ts';

const PRODUCT_NAME = 'Sayso';

type Props = {
  children: ReactNode;
  /** For steps with a heading of their own. */
  title?: string;
  subtitle?: string;
  focusHeading?: boolean;
  hasBar?: boolean;
};

/** What surrounds every step: the owner's logo, the heading, the badge. The two templates part ways here. */
export function PageFrame({ children, title, subtitle, focusHeading = false, hasBar = false }: Props) {
  const { view, t } = usePage();
  const { page } = view;
  const heading = useRef<HTMLHeadingElement>(null);
  const template = page.attrs.template_id === 'stacked_marketer_template' ? 'stacked' : 'calm';

  useEffect(() => {
    if (focusHeading) heading.current?.focus();
  }, [focusHeading]);

  return (
    <div className={`pp pp-${template}`} data-bar={hasBar || undefined}>
      <header className="pp-head">
        <div className="pp-wrap">
          {page.logo && (
            <img className="pp-logo" src={page.logo} alt="" height={48} referrerPolicy="no-referrer" />
          )}
          <h1 ref={heading} tabIndex={-1}>
            {title ?? (page.attrs.tag_subject || t('pref_template.title'))}
          </h1>
          <p className="pp-subtitle">{subtitle ?? (page.name && subtitleOf(page, t('pref_template.for')))}</p>
        </div>
      </header>
      <main className="pp-main pp-wrap">{children}</main>
      {!page.attrs.remove_badge && (
        <footer className="pp-foot pp-wrap">{t('badge', { product: PRODUCT_NAME })}</footer>
      )}
    </div>
  );
}
