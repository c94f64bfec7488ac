import { useNavigate } from '@tanstack/react-router';
import { useEffect } from 'react';
import { ErrorState } from '#web/ui/ErrorState.tsx';
import { useQuery } from '@tanstack/react-query';
import { NO_ORGANIZATION } from '#contract/accounts.ts';
import { useAccount } from '../../account/account.ts';
import { storeOrganization, useSession } from '../../session/session.ts';
import { appSettingsQuery } from '../../api/app-settings.ts';
import { AppLoader } from '../../components/AppLoader.tsx';
import { useAccountPreferences } from '../../preferences/use-account-preferences.ts';
import { useSupportChat } from '../../support-chat/use-support-chat.ts';
import { ContactsStep } from './ContactsStep.tsx';
import { DomainStep } from './DomainStep.tsx';
import { IntegrationsStep } from './IntegrationsStep.tsx';
import { NameStep } from './NameStep.tsx';
import { SetupStep } from './SetupStep.tsx';
import { StartStep } from './StartStep.tsx';
import { useSurveyDraft } from './survey-draft.ts';
import { type Answers, canGoBack, goBack, goOn, sectionOf } from './survey.logic.ts';
import { SurveyLayout } from './SurveyLayout.tsx';

export function SurveyScreen() {
  const session = useSession();
  const account = useAccount();
  const settings = useQuery(appSettingsQuery);
  const navigate = useNavigate();
  useAccountPreferences(account.data);
  useSupportChat(account.data);

  const organization = account.data?.organization ?? NO_ORGANIZATION;
  const isDoneElsewhere = organization !== NO_ORGANIZATION && session?.organization === NO_ORGANIZATION;
  useEffect(() => {
    if (!isDoneElsewhere) return;
    storeOrganization(organization);
    void navigate({ to: '/dashboard', replace: true });
  }, [isDoneElsewhere, organization, navigate]);

  if (!session || !account.isFetched || settings.isPending) return <AppLoader />;
  if (settings.isLoadingError) {
    return (
      <SurveyLayout section={1}>
        <ErrorState error={settings.error} onRetry={() => void settings.refetch()} />
      </SurveyLayout>
    );
  }
  return <Survey key={session.id} userId={session.id} siteDomain={settings.data.site_domain} />;
}

function Survey({ userId, siteDomain }: { userId: string; siteDomain: string }) {
  const navigate = useNavigate();
  const { state, setState, evict } = useSurveyDraft(userId);
  const { answers } = state;

  const step = {
    answers,
    onAnswer: (given: Partial<Answers>) =>
      setState((now) => ({ ...now, answers: { ...now.answers, ...given } })),
    onContinue: () => setState(goOn),
    onBack: canGoBack(state) ? () => setState(goBack) : undefined,
  };

  function finish() {
    evict();
    void navigate({ to: '/dashboard', replace: true });
  }

  return (
    <SurveyLayout section={sectionOf(state.step)}>
      {state.step === 'start' && <StartStep {...step} />}
      {state.step === 'integrations-step' && <IntegrationsStep {...step} />}
      {state.step === 'contacts-step' && <ContactsStep {...step} />}
      {state.step === 'third-step' && <NameStep {...step} />}
      {state.step === 'fourth-step' && <DomainStep {...step} siteDomain={siteDomain} />}
      {state.step === 'fifth-step' && (
        <SetupStep
          answers={answers}
          siteDomain={siteDomain}
          organizationId={state.organizationId}
          onOrganization={(organizationId) => setState((now) => ({ ...now, organizationId }))}
          onDone={finish}
          onBack={() => setState(goBack)}
        />
      )}
    </SurveyLayout>
  );
}
