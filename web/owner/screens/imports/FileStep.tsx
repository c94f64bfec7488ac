import { FileUp } from 'lucide-react';
import { useEffect, useRef, useState } from 'react';
import { type DropItem, DropZone, FileTrigger, Text } from 'react-aria-components';
import { useTranslation } from 'react-i18next';
import { MAX_IMPORT_BYTES, MAX_IMPORT_ROWS } from '#contract/imports.ts';
import { Button } from '#web/ui/Button.tsx';
import { FormError, FormErrorText } from '#web/ui/FormError.tsx';
import { Notice } from '#web/ui/Notice.tsx';
import { ProgressBar } from '#web/ui/ProgressBar.tsx';
import { isLimitOfProxy } from '../../files/upload-limit.ts';
import { numberFormat } from '../../i18n/formats.ts';
import { useLanguage } from '../../i18n/i18n.ts';
import { useUnsavedGuard } from '../../drafts/unsaved-guard.tsx';
import { useUpload } from './imports.api.ts';
import { type FileProblem, megabytes, problemOfFile } from './imports.logic.ts';

/** Accepts a file, chosen or dropped, and uploads it immediately. */
export function FileStep({ onDone }: { onDone: (id: string) => void }) {
  const { t } = useTranslation('imports');
  const language = useLanguage();
  const sending = useSending(onDone);

  async function drop(items: DropItem[]) {
    const item = items.find((one) => one.kind === 'file');
    if (item?.kind === 'file') sending.start(await item.getFile());
  }

  return (
    <div className="flex flex-col gap-4">
      {sending.file === null ? (
        <DropZone
          onDrop={({ items }) => void drop(items)}
          className="flex flex-col items-center gap-3 rounded-lg border border-dashed border-line-strong px-6 py-10 text-center data-drop-target:border-accent data-drop-target:bg-accent-soft data-focus-visible:outline-2 data-focus-visible:outline-offset-2 data-focus-visible:outline-accent"
        >
          <FileUp size={24} strokeWidth={1.5} aria-hidden className="text-ink-muted" />
          <Text slot="label" className="font-medium">
            {t('file.drop')}
          </Text>
          <FileTrigger
            acceptedFileTypes={['.csv', '.tsv', '.txt', '.zip']}
            onSelect={(files) => {
              const file = files?.[0];
              if (file) sending.start(file);
            }}
          >
            <Button variant="primary">{t('file.choose')}</Button>
          </FileTrigger>
          <p className="max-w-md text-[13px] text-balance text-ink-muted">
            {t('file.limits', {
              size: megabytes(MAX_IMPORT_BYTES, language),
              rows: numberFormat(language).format(MAX_IMPORT_ROWS),
            })}
          </p>
        </DropZone>
      ) : (
        <div className="flex flex-col gap-4 rounded-lg border border-line bg-surface p-5">
          <ProgressBar
            label={t(sending.share < 1 ? 'file.sending' : 'file.reading', { name: sending.file.name })}
            share={sending.share < 1 ? sending.share : null}
            text={t('file.sent', {
              sent: megabytes(sending.file.size * sending.share, language),
              size: megabytes(sending.file.size, language),
            })}
          />
          <div>
            <Button onPress={sending.stop}>{t('file.stop')}</Button>
          </div>
        </div>
      )}
      {sending.problem !== null && (
        <div role="alert">
          <Notice tone="danger">
            {t(`file.problem.${sending.problem}`, { size: megabytes(MAX_IMPORT_BYTES, language) })}
          </Notice>
        </div>
      )}
      {isLimitOfProxy(sending.error) ? (
        <FormErrorText>{t('file.problem.proxy')}</FormErrorText>
      ) : (
        <FormError error={sending.error} />
      )}
      <Notice>{t('file.nothing_yet')}</Notice>
      {sending.dialog}
    </div>
  );
}

function useSending(onDone: (id: string) => void) {
  const upload = useUpload();
  const [file, setFile] = useState<File | null>(null);
  const [share, setShare] = useState(0);
  const [problem, setProblem] = useState<FileProblem | null>(null);
  const stopper = useRef<AbortController | null>(null);
  const guard = useUnsavedGuard(file !== null);

  useEffect(() => () => stopper.current?.abort(), []);

  function start(chosen: File) {
    upload.reset();
    const found = problemOfFile(chosen);
    setProblem(found);
    if (found !== null) return;
    const controller = new AbortController();
    stopper.current = controller;
    setShare(0);
    setFile(chosen);
    upload.mutate(
      { file: chosen, signal: controller.signal, onProgress: setShare },
      {
        onSuccess: ({ id }) => {
          guard.allow();
          onDone(id);
        },
        onError: () => setFile(null),
      },
    );
  }

  const isStopped = upload.error instanceof DOMException;
  return {
    file,
    share,
    problem,
    error: isStopped ? null : upload.error,
    dialog: guard.dialog,
    start,
    stop: () => stopper.current?.abort(),
  };
}
