import { ImageUp, Trash2 } from 'lucide-react';
import { useState } from 'react';
import { FileTrigger } from 'react-aria-components';
import { useTranslation } from 'react-i18next';
import { IMAGE_TYPES } from '#contract/images.ts';
import { Button } from '#web/ui/Button.tsx';
import { Card } from '#web/ui/Card.tsx';
import { useErrorText } from '#web/ui/error-text.ts';
import { toast } from '#web/ui/toast.tsx';
import { Avatar } from '../../components/Avatar.tsx';
import { problemOfError, problemOfFile, type ShownProblem } from '../preference-pages/image-field.logic.ts';
import { removeAvatarOf, uploadAvatarOf } from './account.api.ts';
import type { SectionProps } from './section-props.ts';

/** The avatar, saved as soon as it is chosen. */
export function AvatarCard({ account }: SectionProps) {
  const { t } = useTranslation('settings');
  const { busy, error, upload, remove } = useAvatar(account.id);
  return (
    <Card title={t('avatar.title')} description={t('avatar.description')}>
      <div className="flex items-center gap-4">
        <Avatar url={account.avatar} size={64} />
        <div className="flex min-w-0 flex-wrap items-center gap-2">
          <FileTrigger acceptedFileTypes={[...IMAGE_TYPES]} onSelect={(files) => void upload(files?.[0])}>
            <Button icon={<ImageUp />} isPending={busy === 'upload'}>
              {t(account.avatar === null ? 'avatar.choose' : 'avatar.replace')}
            </Button>
          </FileTrigger>
          {account.avatar !== null && (
            <Button
              variant="ghost"
              icon={<Trash2 />}
              isPending={busy === 'remove'}
              onPress={() => void remove()}
            >
              {t('avatar.remove')}
            </Button>
          )}
          <span role="status" className="sr-only">
            {busy === 'upload' ? t('avatar.uploading') : ''}
          </span>
        </div>
      </div>
      {error !== null && (
        <p role="alert" className="mt-3 text-[13px] break-words text-danger">
          {error}
        </p>
      )}
    </Card>
  );
}

function useAvatar(id: string) {
  const { t } = useTranslation('settings');
  const { t: sentence } = useTranslation('pages');
  const errorText = useErrorText();
  const [busy, setBusy] = useState<'upload' | 'remove' | null>(null);
  const [error, setError] = useState<string | null>(null);
  const problemText = (problem: ShownProblem) => sentence(`image.problem.${problem}`);

  async function run(what: 'upload' | 'remove', work: () => Promise<unknown>) {
    setBusy(what);
    setError(null);
    try {
      await work();
      toast(t(what === 'upload' ? 'avatar.saved' : 'avatar.removed'));
    } catch (cause) {
      const problem = problemOfError(cause);
      setError(problem === null ? errorText(cause) : problemText(problem));
    } finally {
      setBusy(null);
    }
  }

  async function upload(file: File | undefined) {
    if (file === undefined) return;
    const problem = problemOfFile(file);
    if (problem !== null) return setError(problemText(problem));
    await run('upload', () => uploadAvatarOf(id, file));
  }

  return { busy, error, upload, remove: () => run('remove', () => removeAvatarOf(id)) };
}
