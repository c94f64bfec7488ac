import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { guarded } from '../../routing/guarded-route.ts';

const survey = createRoute({
  path: '/signup-survey',
  ...guarded({ title: 'survey', isAuthRequired: true, texts: ['survey'] }),
  component: lazyRouteComponent(() => import('./SurveyScreen.tsx'), 'SurveyScreen'),
});

export const surveyRoutes = [survey] as const;
