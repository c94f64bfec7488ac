import { type FormEvent, type ReactNode, useEffect, useRef } from 'react';
import { useTranslation } from 'react-i18next';
import { Button } from '#web/ui/Button.tsx';

interface StepLayoutProps {
  title: string;
  text?: ReactNode;
  children: ReactNode;
  canContinue: boolean;
  onContinue: () => void;
  /** Without it there is no way back. */
  onBack?: (() => void) | undefined;
}

/** One question: title, answer, Back and Continue. Enter continues too. */
export function StepLayout({ title, text, children, canContinue, onContinue, onBack }: StepLayoutProps) {
  const { t } = useTranslation('survey');
  const heading = useRef<HTMLHeadingElement>(null);
  // A new step is announced, and Tab goes on from its beginning.
  useEffect(() => heading.current?.focus(), []);

  function submit(event: FormEvent) {
    event.preventDefault();
    if (canContinue) onContinue();
  }

  return (
    <form noValidate onSubmit={submit} className="flex w-full max-w-lg animate-fade flex-col">
      <h1
        ref={heading}
        tabIndex={-1}
        className="text-2xl font-semibold tracking-tight text-balance outline-none"
      >
        {title}
      </h1>
      {text && <div className="mt-1.5 text-pretty text-ink-muted">{text}</div>}
      <div className="mt-6 flex flex-col gap-5">{children}</div>
      <div className="mt-8 flex justify-between gap-3">
        {onBack ? <Button onPress={onBack}>{t('back')}</Button> : <span />}
        <Button type="submit" variant="primary" isDisabled={!canContinue}>
          {t('continue')}
        </Button>
      </div>
    </form>
  );
}
