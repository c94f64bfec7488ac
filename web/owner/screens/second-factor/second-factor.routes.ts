import { SECOND_STEP_PATH, SET_UP_PATH } from '#contract/app-paths.ts';
import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { guarded, nextOf } from '../../routing/guarded-route.ts';

const secondStep = createRoute({
  path: SECOND_STEP_PATH,
  validateSearch: nextOf,
  ...guarded({ texts: ['second-factor'] }),
  component: lazyRouteComponent(() => import('./SecondStepScreen.tsx'), 'SecondStepScreen'),
});

const setUp = createRoute({
  path: SET_UP_PATH,
  validateSearch: nextOf,
  ...guarded({ isAuthRequired: true, texts: ['second-factor'] }),
  component: lazyRouteComponent(() => import('./SetUpScreen.tsx'), 'SetUpScreen'),
});

export const secondFactorRoutes = [secondStep, setUp] as const;
