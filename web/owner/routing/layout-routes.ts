import { createRootRoute, createRoute } from '@tanstack/react-router';

/** The parents that screens hang their routes under. `router.tsx` gives them their components, which stand above the screens. */
export const rootRoute = createRootRoute();

/** Around every screen of a logged-in owner: sidebar, top bar, commands. */
export const shellRoute = createRoute({ getParentRoute: () => rootRoute, id: 'shell' });
