import { Check, ChevronRight, ListChecks, X } from 'lucide-react';
import { useTranslation } from 'react-i18next';
import { Button } from '#web/ui/Button.tsx';
import { Card } from '#web/ui/Card.tsx';
import { IconButton } from '#web/ui/IconButton.tsx';
import { ErrorState } from '#web/ui/ErrorState.tsx';
import { LinkButton } from '#web/ui/LinkButton.tsx';
import { Skeleton } from '#web/ui/Skeleton.tsx';
import { useSite } from '../../site/current-site.tsx';
import { useOnboardingFacts } from './dashboard.api.ts';
import { onboarding, stepsLeft, type Task } from './onboarding.logic.ts';
import { SendLink } from './SendLink.tsx';

/** The setup checklist; disappears once completed or hidden. */
export function Onboarding({ onHide }: { onHide: () => void }) {
  const { t } = useTranslation(['dashboard', 'figures']);
  const facts = useOnboardingFacts();
  if (facts.isPending) return <Skeleton count={4} />;
  if (facts.isLoadingError) {
    return (
      <Card title={t('onboarding.title')}>
        <ErrorState error={facts.error} onRetry={() => void facts.refetch()} />
      </Card>
    );
  }
  if (!facts.data) return null;
  const tasks = onboarding(facts.data);
  const done = tasks.filter((one) => one.isDone).length;
  if (stepsLeft(facts.data) === 0) return null;
  return (
    <Card
      title={t('onboarding.title')}
      description={
        done === 0 ? t('onboarding.not_started') : t('onboarding.progress', { done, total: tasks.length })
      }
      isPadded={false}
      action={<IconButton label={t('figures:checklist.hide')} icon={<X />} onPress={onHide} />}
    >
      <ol className="divide-y divide-line">
        {tasks.map(({ task, isDone, isNext }) => (
          <li key={task} className="flex flex-wrap items-center gap-x-4 gap-y-3 px-5 py-4">
            <span
              className={`flex size-6 shrink-0 items-center justify-center rounded-full border ${
                isDone ? 'border-transparent bg-success-soft text-success' : 'border-line-strong'
              }`}
            >
              {isDone && <Check size={14} strokeWidth={2.5} aria-hidden />}
              <span className="sr-only">{isDone ? t('onboarding.done') : t('onboarding.open')}</span>
            </span>
            <span className="min-w-48 flex-1">
              <span className={`block font-medium ${isDone ? 'text-ink-muted' : ''}`}>
                {t(`tasks.${task}.title`)}
              </span>
              {!isDone && <span className="block text-[13px] text-ink-muted">{t(`tasks.${task}.text`)}</span>}
            </span>
            {!isDone && (
              <span className="max-sm:w-full max-sm:pl-10">
                <TaskLink task={task} isNext={isNext} pageId={facts.data.first_page?.id ?? null} />
              </span>
            )}
          </li>
        ))}
      </ol>
    </Card>
  );
}

function TaskLink({ task, isNext, pageId }: { task: Task; isNext: boolean; pageId: string | null }) {
  const { t } = useTranslation('dashboard');
  const { site_id } = useSite();
  const variant = isNext ? 'primary' : 'secondary';
  const label = (
    <>
      {t(`tasks.${task}.action`)}
      <ChevronRight aria-hidden />
    </>
  );
  switch (task) {
    case 'list':
      return (
        <LinkButton to="/create-list/$id" params={{ id: 'new' }} variant={variant}>
          {label}
        </LinkButton>
      );
    case 'page':
      return (
        <LinkButton to="/create-preference-page/$site" params={{ site: site_id }} variant={variant}>
          {label}
        </LinkButton>
      );
    case 'tool':
      return (
        <LinkButton to="/integrations" variant={variant}>
          {label}
        </LinkButton>
      );
    case 'action':
      return (
        <LinkButton to="/actions" search={{ edit: 'new' }} variant={variant}>
          {label}
        </LinkButton>
      );
    case 'open':
      return pageId === null ? null : <SendLink pageId={pageId} isNext={isNext} />;
  }
}

/** Reopens the checklist while it is incomplete. */
export function ShowChecklist({ onShow }: { onShow: () => void }) {
  const { t } = useTranslation('figures');
  const facts = useOnboardingFacts();
  if (!facts.data || stepsLeft(facts.data) === 0) return null;
  return (
    <div className="flex justify-center">
      <Button
        variant="ghost"
        icon={<ListChecks />}
        onPress={() => {
          onShow();
          window.scrollTo({ top: 0 });
        }}
      >
        {t('checklist.show')}
      </Button>
    </div>
  );
}
