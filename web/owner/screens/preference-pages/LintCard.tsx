import { CircleAlert, CircleCheck, Info, TriangleAlert } from 'lucide-react';
import { memo } from 'react';
import { useTranslation } from 'react-i18next';
import { Button } from '#web/ui/Button.tsx';
import { Card } from '#web/ui/Card.tsx';
import { LinkButton } from '#web/ui/LinkButton.tsx';
import { useLanguage } from '../../i18n/i18n.ts';
import { LANGUAGE_NAMES } from '../../i18n/language.logic.ts';
import { MINIMUM_CONTRAST } from './colour-advice.ts';
import type { Finding, LintField } from './page-lint.ts';
import { useRatioText } from './use-ratio-text.ts';

const SEVERITIES = {
  problem: { icon: CircleAlert, colour: 'text-danger' },
  warning: { icon: TriangleAlert, colour: 'text-warning' },
  hint: { icon: Info, colour: 'text-ink-muted' },
};

interface LintCardProps {
  findings: readonly Finding[];
  onShow: (field: LintField) => void;
}

/** Legal, accessibility and other problems of the page, each with a way to fix it. */
export const LintCard = memo(
  Findings,
  (before, after) =>
    before.onShow === after.onShow && JSON.stringify(before.findings) === JSON.stringify(after.findings),
);

function Findings({ findings, onShow }: LintCardProps) {
  const { t } = useTranslation('editor');
  const sentence = useSentence();
  return (
    <Card title={t('lint.title')} description={t('lint.text')}>
      {findings.length === 0 && (
        <p className="flex items-center gap-2 text-success">
          <CircleCheck size={16} aria-hidden />
          {t('lint.good')}
        </p>
      )}
      <ul className="flex flex-col divide-y divide-line">
        {findings.map((finding) => {
          const { icon: Icon, colour } = SEVERITIES[finding.severity];
          const text = sentence(finding);
          return (
            <li key={text} className="flex flex-wrap items-start gap-x-3 gap-y-1 py-2.5 first:pt-0 last:pb-0">
              <Icon size={16} aria-hidden className={`mt-0.5 shrink-0 ${colour}`} />
              <p className="min-w-0 flex-1 basis-48 break-words">
                <span className={`font-medium ${colour}`}>{t(`lint.severity.${finding.severity}`)}: </span>
                {text}
              </p>
              {finding.field === 'domain' || finding.field === 'site' ? (
                <LinkButton size="sm" variant="ghost" to="/site-settings">
                  {t(finding.field === 'domain' ? 'lint.settings' : 'lint.site_settings')}
                </LinkButton>
              ) : (
                <Button
                  size="sm"
                  variant="ghost"
                  aria-label={`${t('lint.show')}: ${text}`}
                  onPress={() => onShow(finding.field)}
                >
                  {t('lint.show')}
                </Button>
              )}
            </li>
          );
        })}
      </ul>
    </Card>
  );
}

function useSentence(): (finding: Finding) => string {
  const { t } = useTranslation('editor');
  const format = new Intl.ListFormat(useLanguage(), { type: 'conjunction' });
  const ratioText = useRatioText();
  const minimum = ratioText(MINIMUM_CONTRAST);
  return (finding) => {
    switch (finding.id) {
      case 'on_by_default':
      case 'no_description':
        return t(`lint.${finding.id}`, { lists: format.format(finding.lists) });
      case 'untranslated':
        return t('lint.untranslated', {
          lists: format.format(finding.lists),
          language: LANGUAGE_NAMES[finding.language],
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

const FOCUSABLE = 'input:not([type="color"]), textarea, button, [role="row"], [tabindex="0"]';

/** Scrolls to a field of the editor and focuses it. */
export function showField(form: HTMLElement | null, field: LintField): void {
  const place = form?.querySelector<HTMLElement>(`[data-page-field="${field}"]`);
  if (!place) return;
  place.scrollIntoView({ block: 'center' });
  place.querySelector<HTMLElement>(FOCUSABLE)?.focus({ preventScroll: true });
}
