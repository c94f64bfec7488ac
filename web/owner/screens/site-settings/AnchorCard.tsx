import { Send } from 'lucide-react';
import { useTranslation } from 'react-i18next';
import type { EvidenceAnchor } from '#contract/proof.ts';
import { isEvidenceAnchor, isMailbox } from '#contract/site-addresses.ts';
import { Button } from '#web/ui/Button.tsx';
import { FormError } from '#web/ui/FormError.tsx';
import { FormTextField } from '#web/ui/FormTextField.tsx';
import { Notice } from '#web/ui/Notice.tsx';
import { toast } from '#web/ui/toast.tsx';
import { NeedsEmail } from '../../components/NeedsEmail.tsx';
import { RelativeTime } from '../../components/RelativeTime.tsx';
import { useSite } from '../../site/current-site.tsx';
import { useAskEvidenceAnchor, useEvidenceAnchor } from './anchor.api.ts';
import { SettingsCard, useSettingsForm } from './SettingsForm.tsx';

/** Where the signed heads of the evidence go each night. */
export function AnchorCard() {
  const { t } = useTranslation('site');
  const { site } = useSite();
  const form = useSettingsForm({ evidence_anchor: site.evidence_anchor }, (typed) => {
    const changes = { evidence_anchor: typed.evidence_anchor.trim() };
    return {
      changes,
      values: changes,
      done: t(changes.evidence_anchor === '' ? 'anchor.removed' : 'anchor.saved'),
    };
  });

  return (
    <SettingsCard
      title={t('anchor.title')}
      description={t('anchor.description')}
      form={form}
      saveLabel={t('email.save')}
    >
      <div className="flex flex-col gap-4">
        {isMailbox(site.evidence_anchor) && <NeedsEmail />}
        <FormTextField
          control={form.control}
          name="evidence_anchor"
          rules={{ validate: (value) => isAnchor(value) || t('anchor.target_invalid') }}
          label={t('anchor.target')}
          description={t('anchor.target_hint')}
          placeholder="proof@example.com"
          autoComplete="off"
          maxLength={2048}
        />
        <FormError error={form.error} />
        {site.evidence_anchor !== '' && <Sent target={site.evidence_anchor} />}
      </div>
    </SettingsCard>
  );
}

const isAnchor = (typed: string) => typed.trim() === '' || isEvidenceAnchor(typed.trim());

/** How the last night went. */
function Sent({ target }: { target: string }) {
  const { t } = useTranslation('site');
  const anchor = useEvidenceAnchor(target).data;
  if (anchor === undefined) return null;
  if (!anchor.agreed) return <Waiting anchor={anchor} />;
  return (
    <div role="status" className="flex flex-col gap-2 text-[13px] text-ink-muted">
      {anchor.error !== null && (
        <Notice tone="danger">
          <p>{t('anchor.failed')}</p>
          <p className="mt-1 text-[13px] wrap-anywhere">
            {t('anchor.answer')} {anchor.error}
          </p>
        </Notice>
      )}
      {anchor.sent_at !== null && (
        <p>
          {t('anchor.sent')} <RelativeTime at={anchor.sent_at} />
        </p>
      )}
      {anchor.sent_at === null && anchor.error === null && <p>{t('anchor.waiting')}</p>}
    </div>
  );
}

/** Its mailbox has not agreed yet. */
function Waiting({ anchor: { target: email, asked_at } }: { anchor: EvidenceAnchor }) {
  const { t } = useTranslation('site');
  const ask = useAskEvidenceAnchor(email);
  return (
    <div role="status" className="flex flex-col gap-4">
      <Notice tone="warning">
        <p className="font-medium wrap-anywhere">{t('anchor.asking', { email })}</p>
        <p className="mt-1 text-pretty">{t('anchor.asking_text')}</p>
        <p className="mt-1 text-[13px] text-ink-muted">
          {asked_at === null ? (
            t('anchor.not_asked')
          ) : (
            <>
              {t('anchor.asked')} <RelativeTime at={asked_at} />
            </>
          )}
        </p>
      </Notice>
      <FormError error={ask.error} />
      <div>
        <Button
          icon={<Send />}
          isPending={ask.isPending}
          onPress={() => ask.mutate(undefined, { onSuccess: () => toast(t('anchor.ask_done')) })}
        >
          {t('anchor.ask')}
        </Button>
      </div>
    </div>
  );
}
