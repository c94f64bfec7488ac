import { useState } from 'react';
import { useForm, useWatch } from 'react-hook-form';
import { useTranslation } from 'react-i18next';
import { Badge } from '#web/ui/Badge.tsx';
import { Button } from '#web/ui/Button.tsx';
import { Card } from '#web/ui/Card.tsx';
import { ConfirmDialog } from '#web/ui/ConfirmDialog.tsx';
import { FormError } from '#web/ui/FormError.tsx';
import { FormTextField } from '#web/ui/FormTextField.tsx';
import { Notice } from '#web/ui/Notice.tsx';
import { randomId } from '#web/ui/random-id.ts';
import { toast } from '#web/ui/toast.tsx';
import { usePermission } from '../../account/permissions.ts';
import { ConnectorText } from '../../components/ConnectorText.tsx';
import { CopyRow } from '../../components/CopyRow.tsx';
import { useExactTime } from '../../components/RelativeTime.tsx';
import { isPublicDomain } from '../../site/public-domain.ts';
import type { IntegrationProps } from './integration-props.ts';
import { useChangeIntegration } from './integrations.api.ts';
import { needsSecret } from './integrations.logic.ts';

interface WebhookCardProps extends IntegrationProps {
  url: string;
}

/** The webhook address for the tool's events. */
export function WebhookCard({ integration, connector, url }: WebhookCardProps) {
  const { t } = useTranslation('integrations');
  const tool = connector.name;
  const canChange = usePermission('admin');
  const host = new URL(url).hostname;
  const isRegistered = integration.webhook_state === 'registered';
  return (
    <Card title={t('webhook.title')} description={t('webhook.text', { tool })}>
      <div className="flex flex-col gap-5">
        {isRegistered && <Registered integration={integration} connector={connector} />}
        <CopyRow label={t('webhook.address')} value={url} copy={t('webhook.copy')} />
        {!isRegistered && !isPublicDomain(host) && (
          <Notice tone="warning">{t('webhook.unreachable', { tool, host })}</Notice>
        )}
        {!isRegistered && integration.webhook_setup !== null && (
          <p className="text-pretty">
            <ConnectorText connector={connector} place="webhook_setup">
              {integration.webhook_setup}
            </ConnectorText>
          </p>
        )}
        {canChange && connector.webhook_secret !== 'none' && (
          <SecretForm integration={integration} connector={connector} />
        )}
        {!canChange && needsSecret(integration, connector) && (
          <Notice tone="warning">
            {t('webhook.needs_secret', { tool })} {t('notice.ask_admin')}
          </Notice>
        )}
      </div>
    </Card>
  );
}

function Registered({ integration: { webhook_checked_at: at }, connector }: IntegrationProps) {
  const { t } = useTranslation('integrations');
  const exact = useExactTime();
  return (
    <p className="text-pretty">
      {t('webhook.registered', { tool: connector.name })}
      {at !== null && ` ${t('webhook.checked', { time: exact(at) })}`}
    </p>
  );
}

function SecretForm({ integration, connector }: IntegrationProps) {
  const { t } = useTranslation(['integrations', 'ui']);
  const change = useChangeIntegration(integration.id);
  const [error, setError] = useState<unknown>(null);
  const form = useForm({ defaultValues: { secret: '' } });
  const hasSecret = integration.has_webhook_secret;
  const isOptional = connector.webhook_secret === 'optional';
  const isOurs = connector.webhook_secret_source === 'you';
  const [generated, setGenerated] = useState<string | null>(null);
  const typed = useWatch({ control: form.control, name: 'secret' });
  const tool = connector.name;

  function generate() {
    const secret = randomId();
    form.setValue('secret', secret);
    form.clearErrors();
    setGenerated(secret);
  }

  const submit = form.handleSubmit(async ({ secret }) => {
    setError(null);
    try {
      await change.mutateAsync({ webhook_secret: secret.trim() });
      form.reset();
      setGenerated(null);
      toast(t('webhook.saved'));
    } catch (cause) {
      setError(cause);
    }
  });

  return (
    <form noValidate onSubmit={(event) => void submit(event)} className="flex flex-col gap-3">
      {needsSecret(integration, connector) && (
        <Notice tone="warning">{t('webhook.needs_secret', { tool })}</Notice>
      )}
      <FormTextField
        control={form.control}
        name="secret"
        rules={{ validate: (value) => value.trim() !== '' || t('webhook.missing') }}
        label={isOptional ? t('field.optional', { label: t('webhook.secret') }) : t('webhook.secret')}
        description={t(isOurs ? 'webhook.secret_help_own' : 'webhook.secret_help', { tool })}
        type="password"
        autoComplete="new-password"
        maxLength={2000}
      />
      {generated !== null && generated === typed && (
        <CopyRow label={t('webhook.generated', { tool })} value={generated} copy={t('webhook.copy_secret')} />
      )}
      <FormError error={error} />
      <div className="flex flex-wrap items-center gap-2">
        <span role="status" className="mr-auto">
          <Badge tone={hasSecret ? 'success' : 'neutral'}>
            {hasSecret ? t('webhook.has_secret') : t('webhook.no_secret')}
          </Badge>
        </span>
        {hasSecret && <RemoveSecret {...{ integration, connector }} />}
        {isOurs && <Button onPress={generate}>{t('webhook.generate')}</Button>}
        <Button type="submit" isPending={form.formState.isSubmitting}>
          {t('webhook.save')}
        </Button>
      </div>
    </form>
  );
}

function RemoveSecret({ integration, connector }: IntegrationProps) {
  const { t } = useTranslation('integrations');
  const change = useChangeIntegration(integration.id);
  const [isOpen, setIsOpen] = useState(false);
  return (
    <>
      <Button variant="ghost" onPress={() => setIsOpen(true)}>
        {t('webhook.remove')}
      </Button>
      <ConfirmDialog
        isOpen={isOpen}
        onOpenChange={setIsOpen}
        title={t('webhook.remove_title')}
        description={
          connector.webhook_secret === 'needed'
            ? t('webhook.remove_needed', { tool: connector.name })
            : t('webhook.remove_text')
        }
        confirmLabel={t('webhook.remove')}
        onConfirm={() => change.mutateAsync({ webhook_secret: '' })}
      />
    </>
  );
}
