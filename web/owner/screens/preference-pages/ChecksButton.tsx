import { ListChecks } from 'lucide-react';
import { useTranslation } from 'react-i18next';
import { Button } from '#web/ui/Button.tsx';
import { listFormat } from '../../i18n/formats.ts';
import { useLanguage } from '../../i18n/i18n.ts';
import type { Finding } from './page-lint.ts';
import { SEVERITIES } from './severities.ts';

interface ChecksButtonProps {
  findings: readonly Finding[];
  onPress: () => void;
}

/** Opens the checks, and says how many problems and warnings there are. Hints are only suggestions: no count. */
export function ChecksButton({ findings, onPress }: ChecksButtonProps) {
  const { t } = useTranslation('editor');
  const format = listFormat(useLanguage(), { type: 'unit', style: 'short' });
  const countOf = (severity: Finding['severity']) =>
    findings.filter((one) => one.severity === severity).length;
  const problems = countOf('problem');
  const warnings = countOf('warning');
  if (problems === 0 && warnings === 0) {
    return (
      <Button variant="ghost" icon={<ListChecks />} onPress={onPress}>
        {t('lint.title')}
      </Button>
    );
  }
  const { icon: Icon, colour } = SEVERITIES[problems > 0 ? 'problem' : 'warning'];
  const counts = format.format([
    ...(problems > 0 ? [t('lint.problems', { count: problems })] : []),
    ...(warnings > 0 ? [t('lint.warnings', { count: warnings })] : []),
  ]);
  return (
    <Button
      variant="ghost"
      icon={<Icon className={colour} />}
      aria-label={`${t('lint.title')}: ${counts}`}
      onPress={onPress}
    >
      {counts}
    </Button>
  );
}
