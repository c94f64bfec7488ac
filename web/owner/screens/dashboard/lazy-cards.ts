import i18next from 'i18next';
import { lazyWithPreload } from '../../prefetch/lazy-with-preload.tsx';

/** Not loaded unless something needs attention. */
export const Notices = lazyWithPreload(async () => {
  const [loaded] = await Promise.all([
    import('./Notices.tsx'),
    i18next.loadNamespaces(['evidence-check', 'deliveries', 'customers', 'complaints']),
  ]);
  return loaded.Notices;
});

/** Their texts are those of the figures, which the route loads. */
export const Summary = lazyWithPreload(async () => (await import('./Summary.tsx')).Summary);
export const HeaderActions = lazyWithPreload(async () => (await import('./Summary.tsx')).HeaderActions);

/** Most sites are set up: its texts are loaded where it is shown. */
export const Checklist = lazyWithPreload(async () => {
  const [loaded] = await Promise.all([import('./Onboarding.tsx'), i18next.loadNamespaces('first-steps')]);
  return loaded.Checklist;
});
export const ShowChecklist = lazyWithPreload(async () => (await import('./Onboarding.tsx')).ShowChecklist);

/** The charts and their texts are not part of the first load: they load while the figures are counted. */
export const Cards = lazyWithPreload(async () => {
  const [loaded] = await Promise.all([
    import('./Cards.tsx'),
    i18next.loadNamespaces(['deliveries', 'customers']),
  ]);
  return loaded.Cards;
});

export const NoFigures = lazyWithPreload(async () => (await import('./NoFigures.tsx')).NoFigures);

export const LAZY_CARDS = [Notices, Summary, HeaderActions, Checklist, ShowChecklist, Cards, NoFigures];
