import {
  infiniteQueryOptions,
  queryOptions,
  useInfiniteQuery,
  useMutation,
  useQuery,
} from '@tanstack/react-query';
import {
  applyImport,
  cancelImport,
  checkImport,
  createImport,
  downloadRejectedRows,
  getImport,
  type ImportDetail,
  type ImportVerdict,
  listImportRows,
  listImports,
  uploadImport,
} from '#contract/imports.ts';
import { listToolResources } from '#contract/integrations.ts';
import type { RouteCall } from '#contract/route.ts';
import { call } from '../../api/call.ts';
import { queryClient } from '../../api/query-client.ts';
import type { PrefetchTarget } from '../../prefetch/prefetch.ts';
import { downloadCsv } from '../../files/download.ts';
import { useSite } from '../../site/current-site.tsx';
import { sendWithProgress } from '../../files/upload-progress.ts';
import { type SiteParams, siteParams } from '../../site/site-params.ts';
import { isWorking } from './imports.logic.ts';

const REFRESH_MS = 1500;

const allKey = (site: SiteParams) => ['site', site.site_id, 'imports'];

function importsQuery(site: SiteParams) {
  return infiniteQueryOptions({
    queryKey: allKey(site),
    initialPageParam: null as string | null,
    queryFn: ({ pageParam, signal }) =>
      call(
        listImports,
        { params: siteParams(site), query: pageParam === null ? {} : { cursor: pageParam } },
        { signal },
      ),
    getNextPageParam: (page) => page.next,
    staleTime: 0,
  });
}

/** All imports, newest first; polls while one of them is running. */
export function useImports() {
  return useInfiniteQuery({
    ...importsQuery(useSite()),
    refetchInterval: ({ state }) =>
      state.data?.pages.some((page) => page.results.some((one) => isWorking(one.status)))
        ? 2 * REFRESH_MS
        : false,
  });
}

export function prefetchImports({ site }: PrefetchTarget): void {
  void queryClient.prefetchInfiniteQuery(importsQuery(site));
}

export function prefetchImport({ site, id }: PrefetchTarget): void {
  void queryClient.prefetchQuery(importQuery(site, id));
}

function importQuery(site: SiteParams, id: string) {
  return queryOptions({
    queryKey: ['site', site.site_id, 'import', id],
    queryFn: ({ signal }) => call(getImport, { params: { ...siteParams(site), id } }, { signal }),
    staleTime: 0,
  });
}

export function useImport(id: string) {
  return useQuery({
    ...importQuery(useSite(), id),
    refetchInterval: ({ state }) => (state.data && isWorking(state.data.status) ? REFRESH_MS : false),
  });
}

function cacheImport(site: SiteParams, answer: ImportDetail): void {
  queryClient.setQueryData(importQuery(site, answer.id).queryKey, answer);
  void queryClient.invalidateQueries({ queryKey: allKey(site) });
}

/** Uploads a file; `onProgress` gets the uploaded share (0 to 1). */
export function useUpload() {
  const site = useSite();
  return useMutation({
    mutationFn: (input: { file: File; signal: AbortSignal; onProgress: (share: number) => void }) => {
      const { file, signal, onProgress } = input;
      // Browsers derive a CSV's media type from installed software, or leave it out. The server looks at the file itself.
      const body = file.slice(0, file.size, 'text/csv');
      return call(
        uploadImport,
        { params: siteParams(site), query: { file_name: file.name.slice(-200) }, file: body },
        { signal, send: sendWithProgress(onProgress) },
      );
    },
    onSuccess: (answer) => cacheImport(site, answer),
  });
}

export function useCreateToolImport() {
  const site = useSite();
  return useMutation({
    mutationFn: (body: RouteCall<typeof createImport>['body']) =>
      call(createImport, { params: siteParams(site), body }),
    onSuccess: (answer) => cacheImport(site, answer),
  });
}

type CheckBody = RouteCall<typeof checkImport>['body'];

function useStep<Input>(
  id: string,
  work: (params: SiteParams & { id: string }, input: Input) => Promise<ImportDetail>,
) {
  const site = useSite();
  return useMutation({
    mutationFn: (input: Input) => work({ ...siteParams(site), id }, input),
    onSuccess: async (answer) => {
      await queryClient.cancelQueries({ queryKey: importQuery(site, id).queryKey });
      queryClient.removeQueries({ queryKey: rowsKey(site, id) });
      cacheImport(site, answer);
    },
    // Somebody else may have advanced it.
    onError: () => queryClient.invalidateQueries({ queryKey: importQuery(site, id).queryKey }),
  });
}

export function useCheck(id: string) {
  return useStep(id, (params, body: CheckBody) => call(checkImport, { params, body }));
}

export function useApply(id: string) {
  return useStep<void>(id, (params) => call(applyImport, { params }));
}

export function useCancel(id: string) {
  return useStep<void>(id, (params) => call(cancelImport, { params }));
}

const rowsKey = (site: SiteParams, id: string) => ['site', site.site_id, 'import-rows', id];

/** @param status check and result have different verdicts */
export function useRows(id: string, status: ImportDetail['status'], verdict: ImportVerdict) {
  const site = useSite();
  return useInfiniteQuery({
    queryKey: [...rowsKey(site, id), status, verdict],
    initialPageParam: null as string | null,
    queryFn: ({ pageParam, signal }) =>
      call(
        listImportRows,
        {
          params: { ...siteParams(site), id },
          query: { verdict, ...(pageParam === null ? {} : { cursor: pageParam }) },
        },
        { signal },
      ),
    getNextPageParam: (page) => page.next,
  });
}

export function useDownloadRejected(id: string) {
  const site = useSite();
  return useMutation({
    gcTime: 0,
    mutationFn: async () => {
      downloadCsv(
        'failed-rows.csv',
        await call(downloadRejectedRows, { params: { ...siteParams(site), id } }),
      );
    },
  });
}

/** The resources of a tool that contacts can be read from. */
export function useToolResources(integrationId: string, kind: 'lists' | 'tags') {
  const site = useSite();
  return useQuery({
    queryKey: ['site', site.site_id, 'tool-resources', integrationId, kind],
    queryFn: async ({ signal }) => {
      const params = { ...siteParams(site), id: integrationId };
      return (await call(listToolResources, { params, query: { kind } }, { signal })).results;
    },
    staleTime: 60_000,
  });
}
