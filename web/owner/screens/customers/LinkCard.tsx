import { Link2 } from 'lucide-react';
import { useTranslation } from 'react-i18next';
import type { Customer } from '#contract/customers.ts';
import { Button } from '#web/ui/Button.tsx';
import { Card } from '#web/ui/Card.tsx';
import { CopyButton } from '#web/ui/CopyButton.tsx';
import { FormError } from '#web/ui/FormError.tsx';
import { useDay } from '../../components/RelativeTime.tsx';
import { useMintLinks } from './customers.api.ts';
import { EndLinks } from './EndLinks.tsx';

/** Creates a customer's personal links. Anyone who has one is treated as that customer. */
export function LinkCard({ customer }: { customer: Customer }) {
  const { t } = useTranslation('customers');
  const day = useDay();
  const mint = useMintLinks(customer.id);
  return (
    <Card title={t('link.title')} description={t('link.help')}>
      <div className="flex flex-col items-start gap-4">
        <FormError error={mint.error} />
        {mint.data ? (
          <>
            <Value
              label={t('link.page')}
              copy={t('link.copy_page')}
              value={mint.data.preference_url}
              isFocused
            />
            <p className="text-[13px] text-ink-muted">
              {t('link.until', { date: day(mint.data.expires_at) })}
            </p>
            <Value
              label={t('link.one_click')}
              copy={t('link.copy_one_click')}
              value={mint.data.one_click_url}
            />
          </>
        ) : (
          <Button icon={<Link2 />} isPending={mint.isPending} onPress={() => mint.mutate()}>
            {t('link.make')}
          </Button>
        )}
        <EndLinks customer={customer} onEnded={mint.reset} />
      </div>
    </Card>
  );
}

interface ValueProps {
  label: string;
  copy: string;
  value: string;
  /** Takes over the focus from the button that created it. */
  isFocused?: boolean;
}

function Value({ label, copy, value, isFocused = false }: ValueProps) {
  return (
    <div
      tabIndex={-1}
      ref={(box) => {
        if (isFocused) box?.focus({ preventScroll: true });
      }}
      className="w-full min-w-0 outline-none"
    >
      <p className="text-[13px] text-ink-muted">{label}</p>
      <div className="flex items-start gap-1">
        <code className="min-w-0 flex-1 py-1.5 font-mono text-[13px] wrap-anywhere">{value}</code>
        <CopyButton value={value} label={copy} />
      </div>
    </div>
  );
}
