import { Check, Copy } from 'lucide-react';
import { useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { IconButton } from './IconButton.tsx';
import { useCopy } from './use-copy.ts';

export function CopyButton({ value, label }: { value: string; label?: string }) {
  const { t } = useTranslation('ui');
  const copy = useCopy();
  const [isCopied, setIsCopied] = useState(false);

  useEffect(() => {
    if (!isCopied) return;
    const timer = setTimeout(() => setIsCopied(false), 2000);
    return () => clearTimeout(timer);
  }, [isCopied]);

  return (
    <>
      <IconButton
        label={label ?? t('copy')}
        icon={isCopied ? <Check className="text-success" /> : <Copy />}
        onPress={() => void copy(value).then(setIsCopied)}
      />
      <span role="status" className="sr-only">
        {isCopied ? t('copied') : ''}
      </span>
    </>
  );
}
