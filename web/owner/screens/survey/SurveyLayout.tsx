import { useNavigate } from '@tanstack/react-router';
import { Check, LogOut } from 'lucide-react';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { Button } from '#web/ui/Button.tsx';
import { LanguageMenu } from '../../preferences/LanguageMenu.tsx';
import { Logo } from '../../components/Logo.tsx';

/** The survey's own frame: progress at the side (above, on small screens). */
export function SurveyLayout({ section, children }: { section: 1 | 2 | 3; children: ReactNode }) {
  const { t } = useTranslation('survey');
  const navigate = useNavigate();

  const leave = () => void navigate({ to: '/login', state: { signOut: true } });

  return (
    <div className="flex min-h-dvh flex-col lg:flex-row">
      <aside className="flex flex-col gap-6 border-line bg-surface p-4 max-lg:border-b sm:p-6 lg:w-72 lg:shrink-0 lg:border-r">
        <div className="flex items-center justify-between">
          <Logo />
          <span className="flex items-center gap-1 lg:hidden">
            <LanguageMenu isShort />
            <Button variant="ghost" size="sm" icon={<LogOut />} onPress={leave}>
              {t('logout')}
            </Button>
          </span>
        </div>
        <ol aria-label={t('progress')} className="flex gap-2 lg:mt-4 lg:flex-col lg:gap-1">
          {([1, 2, 3] as const).map((number) => (
            <Entry key={number} label={t(`sections.${number}`)} state={stateOf(number, section)} />
          ))}
        </ol>
        <div className="mt-auto hidden flex-col items-start gap-2 lg:flex">
          <LanguageMenu />
          <Button variant="ghost" size="sm" icon={<LogOut />} onPress={leave}>
            {t('logout')}
          </Button>
        </div>
      </aside>
      <main className="flex flex-1 justify-center px-4 py-8 sm:px-8 lg:py-20">{children}</main>
    </div>
  );
}

type EntryState = 'done' | 'now' | 'later';

function stateOf(number: number, section: number): EntryState {
  if (number === section) return 'now';
  return number < section ? 'done' : 'later';
}

const ENTRY: Record<EntryState, string> = {
  done: 'text-ink max-lg:border-accent',
  now: 'text-accent lg:bg-accent-soft max-lg:border-accent',
  later: 'text-ink-muted max-lg:border-line',
};

function Entry({ label, state }: { label: string; state: EntryState }) {
  return (
    <li
      aria-current={state === 'now' ? 'step' : undefined}
      className={`flex min-w-0 flex-1 items-center justify-between gap-2 pt-2 font-medium max-lg:border-t-2 max-lg:text-[13px] lg:rounded-lg lg:px-3 lg:py-2.5 ${ENTRY[state]}`}
    >
      <span className="min-w-0 break-words">{label}</span>
      {state === 'done' && <Check size={16} aria-hidden className="hidden shrink-0 text-success lg:block" />}
    </li>
  );
}
