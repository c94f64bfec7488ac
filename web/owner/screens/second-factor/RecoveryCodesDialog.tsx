import { Check, Copy, Download } from 'lucide-react';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Button } from '#web/ui/Button.tsx';
import { Dialog } from '#web/ui/Dialog.tsx';
import { toast } from '#web/ui/toast.tsx';
import { downloadText } from '../../files/download.ts';

export const CODES_FILE = 'sayso-recovery-codes.txt';

/** The codes are shown only once, so only the button closes it. */
export function RecoveryCodesDialog({ codes, onClose }: { codes: readonly string[]; onClose: () => void }) {
  const { t } = useTranslation(['second-factor', 'ui']);
  const [isCopied, setIsCopied] = useState(false);
  const text = `${codes.join('\n')}\n`;

  async function copy() {
    try {
      await navigator.clipboard.writeText(text);
      setIsCopied(true);
    } catch {
      toast(t('ui:copy_failed'), { tone: 'error' });
    }
  }

  return (
    <Dialog
      isOpen
      isShownOnce
      role="alertdialog"
      onOpenChange={onClose}
      title={t('codes.shown_title')}
      description={t('codes.shown_text')}
      footer={
        <Button variant="primary" onPress={onClose}>
          {t('codes.saved')}
        </Button>
      }
    >
      <div className="flex flex-col gap-4">
        <ul className="grid grid-cols-2 gap-x-4 gap-y-1.5 rounded-lg border border-line bg-sunken px-4 py-3 font-mono text-[13px]">
          {codes.map((code) => (
            <li key={code} className="whitespace-nowrap">
              {code}
            </li>
          ))}
        </ul>
        <div className="flex flex-wrap gap-2">
          <Button
            size="sm"
            icon={isCopied ? <Check className="text-success" /> : <Copy />}
            onPress={() => void copy()}
          >
            {t(isCopied ? 'codes.copied' : 'codes.copy')}
          </Button>
          <Button size="sm" icon={<Download />} onPress={() => downloadText(CODES_FILE, text)}>
            {t('codes.download')}
          </Button>
        </div>
      </div>
    </Dialog>
  );
}
