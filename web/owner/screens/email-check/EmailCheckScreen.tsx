import { FileUp } from 'lucide-react';
import { type FormEvent, useState } from 'react';
import { type DropItem, DropZone, FileTrigger, Text } from 'react-aria-components';
import { useTranslation } from 'react-i18next';
import { ApiError } from '#contract/client.ts';
import { MAX_EMAIL_BYTES } from '#contract/email-checks.ts';
import { Button } from '#web/ui/Button.tsx';
import { Card } from '#web/ui/Card.tsx';
import { FormError, FormErrorText } from '#web/ui/FormError.tsx';
import { PageHeader } from '#web/ui/PageHeader.tsx';
import { Skeleton } from '#web/ui/Skeleton.tsx';
import { TextAreaField } from '#web/ui/TextAreaField.tsx';
import { BackLink } from '../../components/BackLink.tsx';
import { isLimitOfProxy } from '../../files/upload-limit.ts';
import { numberFormat } from '../../i18n/formats.ts';
import { useLanguage } from '../../i18n/i18n.ts';
import { useSite } from '../../site/current-site.tsx';
import { CheckResult } from './CheckResult.tsx';
import { useEmailCheck } from './email-check.api.ts';

/** Paste or drop a raw email, and see whether people can unsubscribe with it. */
export function EmailCheckScreen() {
  const { t } = useTranslation('email-check');
  const { site_id } = useSite();
  return (
    <>
      <PageHeader
        title={t('title')}
        description={t('subtitle')}
        back={<BackLink to="/preference-pages">{t('back')}</BackLink>}
      />
      <EmailCheck key={site_id} />
    </>
  );
}

type Problem = 'empty' | 'large';

function EmailCheck() {
  const { t } = useTranslation('email-check');
  const check = useEmailCheck();
  const [text, setText] = useState('');
  const [problem, setProblem] = useState<Problem | null>(null);
  const size = useSizeLimit();

  function start(email: Blob) {
    check.reset();
    const found = email.size === 0 ? 'empty' : email.size > MAX_EMAIL_BYTES ? 'large' : null;
    setProblem(found);
    if (found === null) check.mutate(email);
  }

  function submit(event: FormEvent) {
    event.preventDefault();
    start(new Blob([text.trim() === '' ? '' : text]));
  }

  return (
    <div className="flex flex-col gap-6">
      <Card>
        <form onSubmit={submit} noValidate className="flex flex-col gap-5">
          <TextAreaField
            label={t('raw.label')}
            description={t('raw.help', { size })}
            value={text}
            onChange={setText}
            rows={8}
            spellCheck="false"
            autoComplete="off"
            {...(problem === null ? {} : { errorMessage: t(`problem.${problem}`, { size }) })}
          />
          <DropFile onFile={start} />
          <Refusal error={check.error} />
          <div className="flex flex-wrap items-center gap-x-4 gap-y-3">
            <Button type="submit" variant="primary" isPending={check.isPending}>
              {t('check')}
            </Button>
            <p className="min-w-0 flex-1 basis-56 text-[13px] text-pretty text-ink-muted">{t('private')}</p>
          </div>
          <HowTo />
        </form>
      </Card>
      {check.isPending && <Skeleton shape="rows" />}
      {check.data && <CheckResult check={check.data} key={check.submittedAt} />}
    </div>
  );
}

function useSizeLimit(): string {
  const options = { style: 'unit', unit: 'megabyte' } as const;
  return numberFormat(useLanguage(), options).format(MAX_EMAIL_BYTES / 1024 / 1024);
}

/** Says in the owner's language what is no email, or larger than a proxy takes. */
function Refusal({ error }: { error: unknown }) {
  const { t } = useTranslation('email-check');
  const isNoEmail = error instanceof ApiError && error.data?.['problem'] === 'no_headers';
  if (isNoEmail) return <FormErrorText>{t('problem.not_email')}</FormErrorText>;
  if (isLimitOfProxy(error)) return <FormErrorText>{t('problem.proxy')}</FormErrorText>;
  return <FormError error={error} />;
}

function DropFile({ onFile }: { onFile: (file: File) => void }) {
  const { t } = useTranslation('email-check');

  async function drop(items: DropItem[]) {
    const item = items.find((one) => one.kind === 'file');
    if (item?.kind === 'file') onFile(await item.getFile());
  }

  return (
    <DropZone
      onDrop={({ items }) => void drop(items)}
      className="flex flex-wrap items-center justify-center gap-3 rounded-lg border border-dashed border-line-strong px-4 py-4 text-center data-drop-target:border-accent data-drop-target:bg-accent-soft data-focus-visible:outline-2 data-focus-visible:outline-offset-2 data-focus-visible:outline-accent"
    >
      <FileUp size={20} strokeWidth={1.5} aria-hidden className="text-ink-muted" />
      <Text slot="label" className="text-ink-muted">
        {t('drop')}
      </Text>
      <FileTrigger
        acceptedFileTypes={['.eml', '.txt', 'message/rfc822']}
        onSelect={(files) => {
          const file = files?.[0];
          if (file) onFile(file);
        }}
      >
        <Button>{t('choose')}</Button>
      </FileTrigger>
    </DropZone>
  );
}

const APPS = ['gmail', 'outlook', 'apple'] as const;

function HowTo() {
  const { t } = useTranslation('email-check');
  return (
    <details>
      <summary className="cursor-pointer rounded-sm text-accent pointer-coarse:py-3">
        {t('how.title')}
      </summary>
      <div className="mt-2 flex max-w-2xl flex-col gap-2 text-[13px] text-pretty text-ink-muted">
        <p>{t('how.text')}</p>
        <ul className="flex list-disc flex-col gap-1 pl-5">
          {APPS.map((app) => (
            <li key={app}>{t(`how.${app}`)}</li>
          ))}
        </ul>
      </div>
    </details>
  );
}
