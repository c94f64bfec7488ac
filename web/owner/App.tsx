import { type QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { type RegisteredRouter, RouterProvider } from '@tanstack/react-router';
import { I18nProvider } from 'react-aria-components';
import { useLanguage } from './i18n/i18n.ts';

/** The whole owner app, in the language that its owner chose. */
export function App({ router, queryClient }: { router: RegisteredRouter; queryClient: QueryClient }) {
  return (
    <I18nProvider locale={useLanguage()}>
      <QueryClientProvider client={queryClient}>
        <RouterProvider router={router} />
      </QueryClientProvider>
    </I18nProvider>
  );
}
