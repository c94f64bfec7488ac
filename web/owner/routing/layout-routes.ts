import { createRootRoute, createRoute } from '@tanstack/react-router';

/** The parents of all routes. `router.tsx` sets their components, because those import screens. */
export const rootRoute = createRootRoute();

/** Around every screen of a logged-in owner: sidebar, top bar, commands. */
export const shellRoute = createRoute({ getParentRoute: () => rootRoute, id: 'shell' });
