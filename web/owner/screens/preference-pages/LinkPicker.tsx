import { ChevronDown, Code, Copy, Link2 } from 'lucide-react';
import { useTranslation } from 'react-i18next';
import type { ConnectorInfo, Integration } from '#contract/integrations.ts';
import type { ShownList } from '#contract/lists.ts';
import { Button } from '#web/ui/Button.tsx';
import { Menu, MenuItem, MenuSection } from '#web/ui/Menu.tsx';
import { SelectField } from '#web/ui/SelectField.tsx';
import { LINK_KINDS, type LinkKind, type LinkPurpose } from './page-links.ts';

/** Whose emails or pages a link is for. */
export type Audience =
  | { kind: 'tool'; tool: Integration }
  | { kind: 'other'; tool: ConnectorInfo }
  | { kind: 'everybody' }
  | { kind: 'developers' };

interface LinkPickerProps {
  /** Of the published page. */
  lists: readonly ShownList[];
  purpose: LinkPurpose;
  onPurpose: (purpose: LinkPurpose) => void;
  tools: readonly Integration[];
  /** Those that are not connected. */
  others: readonly ConnectorInfo[];
  onCopy: (audience: Audience) => void;
}

/** What the link does, and a menu that copies it for a tool. */
export function LinkPicker({ lists, purpose, onPurpose, ...copying }: LinkPickerProps) {
  const { t } = useTranslation('editor');
  const isAboutList = (what: LinkKind) => what === 'leave' || what === 'join';
  const kinds = LINK_KINDS.filter((what) => lists.length > 0 || !isAboutList(what));
  return (
    <div className="grid items-end gap-4 sm:grid-cols-2">
      <SelectField<LinkKind>
        label={t('links.purpose')}
        options={kinds.map((value) => ({ value, label: t(`links.does.${value}`) }))}
        value={purpose.what}
        onChange={(what) => onPurpose({ ...purpose, what })}
      />
      {isAboutList(purpose.what) && (
        <SelectField
          label={t('links.list')}
          options={lists.map(({ id, name }) => ({ value: id, label: name }))}
          value={purpose.listId}
          onChange={(listId) => onPurpose({ ...purpose, listId })}
        />
      )}
      <div>
        <CopyMenu {...copying} />
      </div>
    </div>
  );
}

function CopyMenu({ tools, others, onCopy }: Pick<LinkPickerProps, 'tools' | 'others' | 'onCopy'>) {
  const { t } = useTranslation('editor');
  return (
    <Menu
      label={t('links.copy_for')}
      placement="bottom start"
      trigger={
        <Button icon={<Copy />}>
          {t('links.copy_for')}
          <ChevronDown aria-hidden />
        </Button>
      }
    >
      {tools.length > 0 && (
        <MenuSection title={t('links.your_tools')}>
          {tools.map((tool) => (
            <MenuItem key={tool.id} id={tool.id} onAction={() => onCopy({ kind: 'tool', tool })}>
              {tool.name}
            </MenuItem>
          ))}
        </MenuSection>
      )}
      {others.length > 0 && (
        <MenuSection title={t(tools.length > 0 ? 'links.other_tools' : 'links.tools')}>
          {others.map((tool) => (
            <MenuItem key={tool.id} id={tool.id} onAction={() => onCopy({ kind: 'other', tool })}>
              {tool.name}
            </MenuItem>
          ))}
        </MenuSection>
      )}
      <MenuSection title={t('links.no_tool')}>
        <MenuItem id="everybody" icon={<Link2 />} onAction={() => onCopy({ kind: 'everybody' })}>
          {t('links.everybody')}
        </MenuItem>
        <MenuItem id="developers" icon={<Code />} onAction={() => onCopy({ kind: 'developers' })}>
          {t('links.developers')}
        </MenuItem>
      </MenuSection>
    </Menu>
  );
}
