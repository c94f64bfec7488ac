import { FileCheck2 } from 'lucide-react';
import { useTranslation } from 'react-i18next';
import { VERIFIER_PATH } from '#contract/proof.ts';
import { Button } from '#web/ui/Button.tsx';
import { useErrorText } from '#web/ui/error-text.ts';
import { Menu, MenuItem } from '#web/ui/Menu.tsx';
import { toast } from '#web/ui/toast.tsx';
import { proofFile, type ProofKind, useProof } from './downloads.api.ts';

/** Proof of a customer's choices, or of all of the site's, with what verifies it. */
export function ProofMenu({ customerId }: { customerId: string | null }) {
  const { t } = useTranslation('customers');
  const errorText = useErrorText();
  const proof = useProof(customerId);

  function start(kind: ProofKind) {
    const file = proofFile(kind, customerId);
    proof.mutate(kind, {
      onSuccess: () =>
        toast(
          kind === 'pack'
            ? `${t('proof.done', { file })}. ${t('proof.hint', { file: 'pack.json' })}`
            : t('proof.done', { file }),
        ),
      onError: (error) => toast(`${t('proof.failed')} ${errorText(error)}`, { tone: 'error' }),
    });
  }

  return (
    <>
      <Menu
        label={t('proof.button')}
        trigger={
          <Button icon={<FileCheck2 />} isPending={proof.isPending}>
            {t('proof.button')}
          </Button>
        }
      >
        <MenuItem onAction={() => start('pack')}>{t('proof.pack')}</MenuItem>
        <MenuItem onAction={() => start('pdf')}>
          {t(customerId === null ? 'proof.summary' : 'proof.pdf')}
        </MenuItem>
        <MenuItem href={VERIFIER_PATH} download="verify.mjs">
          {t('proof.verifier')}
        </MenuItem>
      </Menu>
      <span role="status" className="self-center text-[13px] text-ink-muted empty:sr-only">
        {proof.isPending ? t('proof.running') : ''}
      </span>
    </>
  );
}
