import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { inShell } from '../../routing/guarded-route.ts';

const emailCheck = createRoute({
  path: '/email-check',
  ...inShell({ title: 'email_check', texts: ['email-check'] }),
  component: lazyRouteComponent(() => import('./EmailCheckScreen.tsx'), 'EmailCheckScreen'),
});

export const emailCheckRoutes = [emailCheck] as const;
