import { useEffect } from 'react';
import { useTranslation } from 'react-i18next';
import { TextField } from '#web/ui/TextField.tsx';
import { useAppSettings } from '../../api/app-settings.ts';
import { CheckFailed } from './NameStep.tsx';
import { fullDomain, useAvailability } from './survey.api.ts';
import { domainVerdict, isDomainLabel, pagesUrl, toLabel } from './survey.logic.ts';
import { useDebounced } from '../../components/use-debounced.ts';

interface DomainFieldProps {
  value: string;
  onChange: (label: string) => void;
  onResult: (isFree: boolean) => void;
  siteDomain: string;
  /** Without it, that of the survey. */
  label?: string;
  description?: string;
}

/** A subdomain of the product's shared domain, checked 500 ms after typing stops. */
export function DomainField({ value, onChange, onResult, siteDomain, label, description }: DomainFieldProps) {
  const { t } = useTranslation('survey');
  const appUrl = useAppSettings()?.app_url ?? window.location.origin;
  const settled = useDebounced(value);
  const { availability, isReserved, retry } = useAvailability(
    isDomainLabel(settled) ? { site_domain: fullDomain(settled, siteDomain) } : null,
  );
  const verdict = domainVerdict(value, settled, availability);
  const isFree = verdict === 'free';
  useEffect(() => onResult(isFree), [isFree, onResult]);

  function problem() {
    if (verdict === 'taken') return t('domain.taken');
    return verdict === 'invalid' ? t('domain.invalid', { value }) : undefined;
  }

  return (
    <div className="flex flex-col gap-3">
      <TextField
        label={label ?? t('domain.label')}
        description={description}
        value={value}
        onChange={(typed) => onChange(toLabel(typed, siteDomain))}
        placeholder={fullDomain(t('domain.placeholder'), siteDomain)}
        autoComplete="off"
        autoCapitalize="none"
        spellCheck="false"
        inputMode="url"
        errorMessage={problem()}
        successMessage={isFree ? t('domain.free') : undefined}
      />
      {verdict === 'invalid' && (
        <p role="status" className="text-[13px] text-ink-muted">
          {t('domain.examples', { examples: 'acme, acme-books, books2go' })}
        </p>
      )}
      {verdict === 'taken' && isReserved && (
        <p role="status" className="text-[13px] text-ink-muted">
          {t('domain.reserved')}
        </p>
      )}
      <CheckFailed isShown={verdict === 'failed'} onRetry={retry} />
      {isDomainLabel(value) && verdict !== 'taken' && (
        <p className="text-[13px] break-words text-ink-muted">
          {t('domain.preview')}{' '}
          <span className="block font-medium text-ink">
            {pagesUrl(appUrl, fullDomain(value, siteDomain))}
          </span>
        </p>
      )}
    </div>
  );
}
