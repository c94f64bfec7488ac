import { ACCOUNT_LINK_PATH, SIGN_IN_RETURN_PATH } from '#contract/app-paths.ts';
import { createRoute, lazyRouteComponent, redirect } from '@tanstack/react-router';
import { guarded, nextOf } from '../../routing/guarded-route.ts';
import { rootRoute } from '../../routing/layout-routes.ts';
import { tokenParam } from '../../routing/search-params.logic.ts';

const LoginScreen = lazyRouteComponent(() => import('./LoginScreen.tsx'), 'LoginScreen');
const ResetPasswordScreen = lazyRouteComponent(
  () => import('./ResetPasswordScreen.tsx'),
  'ResetPasswordScreen',
);
const ConfirmLinkScreen = lazyRouteComponent(() => import('./ConfirmLinkScreen.tsx'), 'ConfirmLinkScreen');

const home = createRoute({
  getParentRoute: () => rootRoute,
  path: '/',
  beforeLoad: () => {
    throw redirect({ to: '/login', replace: true });
  },
});

const login = createRoute({
  path: '/login',
  validateSearch: (search): { next?: string; notice?: 'account-deleted' } => {
    const isDeleted = search['notice'] === 'account-deleted';
    return { ...nextOf(search), ...(isDeleted ? { notice: 'account-deleted' } : {}) };
  },
  ...guarded({ screen: LoginScreen, texts: ['auth'] }),
  component: function Login() {
    const { next, notice } = login.useSearch();
    return <LoginScreen next={next} isAccountDeleted={notice === 'account-deleted'} />;
  },
});

const signup = createRoute({
  path: '/signup',
  ...guarded({ texts: ['auth'] }),
  component: lazyRouteComponent(() => import('./SignupScreen.tsx'), 'SignupScreen'),
});

const resetPassword = createRoute({
  path: '/reset-password',
  validateSearch: tokenParam,
  ...guarded({ screen: ResetPasswordScreen, texts: ['auth'] }),
  component: function ResetPassword() {
    const { token } = resetPassword.useSearch();
    return <ResetPasswordScreen token={token} key={token} />;
  },
});

const signInReturn = createRoute({
  path: SIGN_IN_RETURN_PATH,
  ...guarded({ texts: ['auth'] }),
  component: lazyRouteComponent(() => import('./SignInReturnScreen.tsx'), 'SignInReturnScreen'),
});

const confirmLink = createRoute({
  path: ACCOUNT_LINK_PATH,
  validateSearch: tokenParam,
  ...guarded({ screen: ConfirmLinkScreen, texts: ['auth'] }),
  component: function ConfirmLink() {
    const { token } = confirmLink.useSearch();
    return <ConfirmLinkScreen token={token} key={token} />;
  },
});

export const authRoutes = [home, login, signup, resetPassword, signInReturn, confirmLink] as const;
