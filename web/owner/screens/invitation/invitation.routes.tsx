import { INVITATION_PATH } from '#contract/app-paths.ts';
import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { guarded } from '../../routing/guarded-route.ts';
import { tokenParam } from '../../routing/search-params.logic.ts';

const AcceptInvitationScreen = lazyRouteComponent(
  () => import('./AcceptInvitationScreen.tsx'),
  'AcceptInvitationScreen',
);

const acceptInvitation = createRoute({
  path: INVITATION_PATH,
  validateSearch: tokenParam,
  ...guarded({ screen: AcceptInvitationScreen, texts: ['team', 'auth'] }),
  component: function AcceptInvitation() {
    const { token } = acceptInvitation.useSearch();
    return <AcceptInvitationScreen token={token} key={token} />;
  },
});

export const invitationRoutes = [acceptInvitation] as const;
