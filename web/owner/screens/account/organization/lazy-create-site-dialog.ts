import { lazy } from 'react';

export const LazyCreateSiteDialog = lazy(async () => ({
  default: (await import('./CreateSiteDialog.tsx')).CreateSiteDialog,
}));
