import { ImageUp, Trash2 } from 'lucide-react';
import { useEffect, useId, useRef, useState } from 'react';
import { type DropItem, DropZone, FileTrigger, Text } from 'react-aria-components';
import { useTranslation } from 'react-i18next';
import { IMAGE_TYPES, type ImageKind } from '#contract/images.ts';
import { Button } from '#web/ui/Button.tsx';
import { useErrorText } from '#web/ui/error-text.ts';
import { TextField } from '#web/ui/TextField.tsx';
import { toast } from '#web/ui/toast.tsx';
import type { SiteParams } from '../../site/site-params.ts';
import {
  isKept,
  problemOfError,
  problemOfFile,
  type ShownProblem,
  shownAddress,
} from './image-field.logic.ts';
import { uploadImageFile } from './pages.api.ts';

interface ImageFieldProps {
  kind: ImageKind;
  site: SiteParams;
  /** The address of a stored image, of one from the web that publishing will store, or ''. */
  value: string;
  onChange: (url: string) => void;
  /** The page's background, for the preview. */
  background: string;
  errorMessage?: string | undefined;
}

/** An image: dropped, chosen or named by its address; shown on white and on the page's background. */
export function ImageField({ kind, site, value, onChange, background, errorMessage }: ImageFieldProps) {
  const { t } = useTranslation('pages');
  const id = useId();
  const [isWebOpen, setIsWebOpen] = useState(value !== '' && !isKept(value));
  const upload = useUpload(kind, site, (url) => {
    setIsWebOpen(false);
    onChange(url);
  });
  const latest = useRef(value);
  useEffect(() => {
    latest.current = value;
  }, [value]);
  const error = upload.error ?? errorMessage;
  const shown = shownAddress(value, site.site_id);

  function change(url: string) {
    upload.cancel();
    onChange(url);
  }

  function remove() {
    change('');
    toast(t('image.removed'), {
      onUndo: () => {
        if (latest.current === '') onChange(value);
      },
    });
  }

  return (
    <div
      role="group"
      aria-labelledby={`${id}-label`}
      aria-describedby={`${id}-help`}
      className="flex min-w-0 flex-col gap-1.5"
    >
      <span id={`${id}-label`} className="font-medium">
        {t(`field.${kind}`)}
      </span>
      <DropZone
        getDropOperation={(types) => (IMAGE_TYPES.some((type) => types.has(type)) ? 'copy' : 'cancel')}
        onDrop={({ items }) => void upload.drop(items)}
        className="flex flex-col gap-3 rounded-lg border border-dashed border-line-strong p-3 data-drop-target:border-accent data-drop-target:bg-accent-soft data-focus-visible:outline-2 data-focus-visible:outline-offset-2 data-focus-visible:outline-accent"
      >
        {shown !== '' && !errorMessage && (
          <Previews key={shown} kind={kind} address={shown} background={background} />
        )}
        <FileControls upload={upload} isEmpty={value === ''} onRemove={remove} />
        {isWebOpen ? (
          <TextField
            label={t('image.url')}
            description={t('image.url_help')}
            type="url"
            inputMode="url"
            placeholder="https://"
            value={isKept(value) ? '' : value}
            onChange={change}
            maxLength={2048}
            errorMessage={error}
          />
        ) : (
          <span className="-ms-2.5">
            <Button variant="ghost" size="sm" onPress={() => setIsWebOpen(true)}>
              {t('image.from_web')}
            </Button>
          </span>
        )}
      </DropZone>
      <p id={`${id}-help`} className="text-[13px] text-ink-muted">
        {t(`field.${kind}_help`)} {t('image.formats')}
      </p>
      {error && !isWebOpen && (
        <p role="alert" tabIndex={-1} className="text-[13px] break-words text-danger">
          {error}
        </p>
      )}
    </div>
  );
}

interface FileControlsProps {
  upload: ReturnType<typeof useUpload>;
  isEmpty: boolean;
  onRemove: () => void;
}

function FileControls({ upload, isEmpty, onRemove }: FileControlsProps) {
  const { t } = useTranslation('pages');
  return (
    <div className="flex flex-wrap items-center gap-2">
      <FileTrigger acceptedFileTypes={[...IMAGE_TYPES]} onSelect={(files) => void upload.start(files?.[0])}>
        <Button icon={<ImageUp />} isPending={upload.isPending}>
          {t(isEmpty ? 'image.choose' : 'image.replace')}
        </Button>
      </FileTrigger>
      {!isEmpty && (
        <Button variant="ghost" icon={<Trash2 />} onPress={onRemove}>
          {t('image.remove')}
        </Button>
      )}
      <Text slot="label" className="text-[13px] text-ink-muted">
        {t('image.drop')}
      </Text>
      <span role="status" className="text-[13px] text-ink-muted empty:sr-only">
        {upload.isPending ? t('image.uploading') : ''}
      </span>
    </div>
  );
}

interface PreviewsProps {
  kind: ImageKind;
  address: string;
  background: string;
}

function Previews({ kind, address, background }: PreviewsProps) {
  const { t } = useTranslation('pages');
  const [isBroken, setIsBroken] = useState(false);
  if (isBroken) return <p className="text-[13px] text-danger">{t('image.not_shown')}</p>;
  const grounds = [
    { name: t('image.on_white'), colour: '#ffffff' },
    { name: t('image.on_background'), colour: background },
  ];
  return (
    <div className="grid grid-cols-2 gap-3">
      {grounds.map(({ name, colour }) => (
        <figure key={name} className="flex min-w-0 flex-col gap-1">
          <span
            className="flex h-20 items-center justify-center rounded-md border border-line p-3"
            style={{ backgroundColor: colour }}
          >
            <img
              src={address}
              alt={t(`field.${kind}`)}
              referrerPolicy="no-referrer"
              onError={() => setIsBroken(true)}
              className={kind === 'logo' ? 'max-h-12 max-w-full object-contain' : 'size-8 object-contain'}
            />
          </span>
          <figcaption className="text-[13px] text-ink-muted">{name}</figcaption>
        </figure>
      ))}
    </div>
  );
}

/** Sends one file at a time; of several, the last one counts. */
function useUpload(kind: ImageKind, site: SiteParams, onDone: (url: string) => void) {
  const { t } = useTranslation('pages');
  const errorText = useErrorText();
  const [state, setState] = useState<{ isPending: boolean; error?: string }>({ isPending: false });
  const latest = useRef(0);
  const isShown = useIsShown();
  const sentence = (problem: ShownProblem) => t(`image.problem.${problem}`);

  function cancel() {
    latest.current += 1;
    setState({ isPending: false });
  }

  async function start(file: File | undefined) {
    if (file === undefined) return;
    cancel();
    const turn = latest.current;
    const problem = problemOfFile(file);
    if (problem !== null) return setState({ isPending: false, error: sentence(problem) });
    setState({ isPending: true });
    try {
      const { url } = await uploadImageFile(site, kind, file);
      if (turn !== latest.current) return;
      setState({ isPending: false });
      onDone(url);
    } catch (error) {
      if (turn !== latest.current) return;
      const known = problemOfError(error);
      const text = known === null ? errorText(error) : sentence(known);
      if (isShown.current) setState({ isPending: false, error: text });
      else toast(`${t(`field.${kind}`)}: ${text}`, { tone: 'error' });
    }
  }

  async function drop(items: DropItem[]) {
    const item = items.find((one) => one.kind === 'file');
    if (item?.kind === 'file') await start(await item.getFile());
  }

  return { ...state, start, drop, cancel };
}

/** False once its tab was left. */
function useIsShown() {
  const isShown = useRef(false);
  useEffect(() => {
    isShown.current = true;
    return () => {
      isShown.current = false;
    };
  }, []);
  return isShown;
}
