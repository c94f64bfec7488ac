import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { ApiError } from '#contract/client.ts';
import type { Organization } from '#contract/organizations.ts';
import { Card } from '#web/ui/Card.tsx';
import { ConfirmDialog } from '#web/ui/ConfirmDialog.tsx';
import { FormError } from '#web/ui/FormError.tsx';
import { TextLink } from '#web/ui/Link.tsx';
import { Notice } from '#web/ui/Notice.tsx';
import { SwitchField } from '#web/ui/SwitchField.tsx';
import { toast } from '#web/ui/toast.tsx';
import { setRule } from './second-factor.api.ts';

/** Whether every member needs a second factor; for owners, who have one themselves. */
export function RuleCard({ organization }: { organization: Organization }) {
  const { t } = useTranslation('second-factor');
  const { id, requires_second_factor: isRequired } = organization;
  const [wish, setWish] = useState<boolean | null>(null);
  const [error, setError] = useState<unknown>(null);
  const lacksOwn = error instanceof ApiError && error.errors[0]?.code === 'second_factor_setup_required';

  async function save(required: boolean) {
    setError(null);
    try {
      await setRule(id, required);
      toast(t(required ? 'rule.on' : 'rule.off'));
    } catch (cause) {
      setError(cause);
    }
  }

  return (
    <Card title={t('rule.title')} description={t('rule.description')}>
      <div className="flex flex-col gap-3">
        <SwitchField label={t('rule.label')} isSelected={isRequired} onChange={(next) => setWish(next)} />
        {lacksOwn ? (
          <div role="alert">
            <Notice tone="warning">
              {t('rule.own_first')}{' '}
              <TextLink to="/account-settings" search={{ section: 'security' }}>
                {t('rule.to_security')}
              </TextLink>
            </Notice>
          </div>
        ) : (
          <FormError error={error} />
        )}
      </div>
      <ConfirmDialog
        isOpen={wish !== null}
        onOpenChange={() => setWish(null)}
        title={t(wish === false ? 'rule.ask_off' : 'rule.ask_on')}
        description={t(wish === false ? 'rule.ask_off_text' : 'rule.ask_on_text')}
        confirmLabel={t(wish === false ? 'rule.confirm_off' : 'rule.confirm_on')}
        variant="primary"
        onConfirm={() => save(wish === true)}
      />
    </Card>
  );
}
