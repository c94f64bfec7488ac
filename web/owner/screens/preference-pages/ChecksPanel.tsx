import { CircleCheck } from 'lucide-react';
import { useTranslation } from 'react-i18next';
import { Button } from '#web/ui/Button.tsx';
import { LinkButton } from '#web/ui/LinkButton.tsx';
import { SidePanel } from '#web/ui/SidePanel.tsx';
import { usePermission } from '../../account/permissions.ts';
import { useLanguage } from '../../i18n/i18n.ts';
import { languageName } from '../../i18n/language-name.ts';
import { MINIMUM_CONTRAST } from './colour-advice.ts';
import type { EditorField } from './editor-tabs.ts';
import type { Finding } from './page-lint.ts';
import { SEVERITIES } from './severities.ts';
import { useListNames } from '../../components/use-list-names.ts';
import { useRatioText } from '../../components/use-ratio-text.ts';

interface ChecksPanelProps {
  findings: readonly Finding[];
  onShow: (field: EditorField) => void;
  /** @param key of the list that a finding is about */
  onEditList: (key: string) => void;
  onClose: () => void;
}

/** Legal, accessibility and other problems of the page, each with a way to fix it. */
export function ChecksPanel({ findings, onShow, onEditList, onClose }: ChecksPanelProps) {
  const { t } = useTranslation('editor');
  const sentence = useSentence();
  return (
    <SidePanel title={t('lint.title')} onClose={onClose}>
      <p className="mb-4 text-pretty text-ink-muted">{t('lint.text')}</p>
      {findings.length === 0 && (
        <p className="flex items-center gap-2 text-success">
          <CircleCheck size={16} aria-hidden />
          {t('lint.good')}
        </p>
      )}
      <ul className="flex flex-col divide-y divide-line">
        {findings.map((finding) => {
          const { field, severity } = finding;
          const { icon: Icon, colour } = SEVERITIES[severity];
          const text = sentence(finding);
          return (
            <li key={text} className="flex flex-wrap items-start gap-x-3 gap-y-1 py-2.5 first:pt-0 last:pb-0">
              <Icon size={16} aria-hidden className={`mt-0.5 shrink-0 ${colour}`} />
              <p className="min-w-0 flex-1 basis-48 break-words">
                <span className={`font-medium ${colour}`}>{t(`lint.severity.${severity}`)}: </span>
                {text}
              </p>
              {/* On a phone it is below the text, and starts where the text does. */}
              <span className="max-sm:ml-4.5">
                {field === 'domain' || field === 'site' ? (
                  <ToSiteSettings {...(field === 'site' ? { hash: 'operator' } : {})}>
                    {t(field === 'domain' ? 'lint.settings' : 'lint.site_settings')}
                  </ToSiteSettings>
                ) : 'first' in finding ? (
                  <Button
                    size="sm"
                    variant="ghost"
                    aria-label={`${t('lint.edit_list')}: ${text}`}
                    onPress={() => onEditList(finding.first)}
                  >
                    {t('lint.edit_list')}
                  </Button>
                ) : (
                  <Button
                    size="sm"
                    variant="ghost"
                    aria-label={`${t('lint.show')}: ${text}`}
                    onPress={() => onShow(field)}
                  >
                    {t('lint.show')}
                  </Button>
                )}
              </span>
            </li>
          );
        })}
      </ul>
    </SidePanel>
  );
}

/** Or who can fix it there. @param props.hash of the card; the domain is the first */
function ToSiteSettings({ hash, children }: { hash?: string; children: string }) {
  const { t } = useTranslation('ui');
  if (!usePermission('admin')) {
    return <span className="text-[13px] text-ink-muted">{t('ask_admin')}</span>;
  }
  return (
    <LinkButton size="sm" variant="ghost" to="/site-settings" {...(hash === undefined ? {} : { hash })}>
      {children}
    </LinkButton>
  );
}

function useSentence(): (finding: Finding) => string {
  const { t } = useTranslation('editor');
  const language = useLanguage();
  const ratioText = useRatioText();
  const minimum = ratioText(MINIMUM_CONTRAST);
  const listNames = useListNames();
  return (finding) => {
    switch (finding.id) {
      case 'on_by_default':
      case 'no_description':
        return t(`lint.${finding.id}`, { lists: listNames(finding.lists) });
      case 'no_domain':
      case 'domain_pending':
        return t(`lint.${finding.id}`, { host: finding.host });
      case 'untranslated':
        return t('lint.untranslated', {
          lists: listNames(finding.lists),
          language: languageName(finding.language, language),
        });
      case 'text_replaced':
        return t('lint.text_replaced', {
          ratio: ratioText(finding.ratio),
          colour: finding.colour,
          minimum,
        });
      case 'dark_buttons':
        return t('lint.dark_buttons', { white: ratioText(finding.white), minimum });
      case 'switch_moved':
        return t('lint.switch_moved', { colour: finding.colour });
      default:
        return t(`lint.${finding.id}`);
    }
  };
}
