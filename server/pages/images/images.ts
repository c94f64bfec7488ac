import { createHash } from 'node:crypto';
import { KEPT_IMAGE } from '#contract/fields.ts';
import { IMAGE_TYPES, type ImageKind, type KeptImage, MAX_IMAGE_BYTES } from '#contract/images.ts';
import { findSiteOfHost } from '#server/accounts/sites/hosts.ts';
import { urlOfSite } from '#server/accounts/sites/sites.ts';
import type { SiteDb } from '#server/platform/database.ts';
import { AppError } from '#server/platform/errors.ts';
import { newId } from '#server/platform/ids.ts';
import type { Limit } from '#server/platform/request-limits.ts';
import { type Download, OutboundError } from '#server/platform/outbound.ts';
import { cleanImage, imageRefusal } from '#server/platform/pictures/clean-image.ts';
import type { CleanImage } from '#server/platform/pictures/sanitize.ts';
import type { Services } from '#server/platform/services.ts';
import * as statements from './images.sql.ts';

/** Two for each of a site's pages, and as many again for today's experiments. */
const MAX_IMAGES_OF_SITE = 400;
/** How long an upload is kept until its page is saved. */
const UNUSED_FOR_MS = 24 * 3600 * 1000;
/** Leaves capacity for others even if each image takes the full six seconds. */
const NEW_IMAGES: Limit = { name: 'new-image', points: 60, perSeconds: 600 };

const EXTENSION: Record<ImageKind, string> = { logo: 'webp', favicon: 'png' };

const pathOf = ({ id, kind }: { id: string; kind: ImageKind }) => `/images/${id}.${EXTENSION[kind]}`;

const idsOf = (addresses: readonly string[]) =>
  addresses.flatMap((text) => KEPT_IMAGE.exec(text)?.groups?.['id'] ?? []);

/** Makes room by deleting unused images first, then those that only old page versions use. */
async function makeRoom(site: SiteDb, now: Date): Promise<void> {
  const unused = new Date(now.getTime() - UNUSED_FOR_MS);
  const used = idsOf(await statements.imagesInUse(site));
  const shownOnce = idsOf(await statements.imagesOfVersions(site));
  await statements.deleteImagesExcept(site, [...new Set([...used, ...shownOnce])], unused);
  if ((await statements.countImages(site)) < MAX_IMAGES_OF_SITE) return;
  await statements.deleteImagesExcept(site, used, unused);
}

/** Stores an image in the caller's transaction. */
async function keep(site: SiteDb, now: Date, image: CleanImage): Promise<statements.ImageFacts> {
  await statements.lockImages(site);
  await makeRoom(site, now);
  if ((await statements.countImages(site)) >= MAX_IMAGES_OF_SITE) {
    throw new AppError(
      'limit_reached',
      `A site can have up to ${MAX_IMAGES_OF_SITE} images. Images that no page uses are deleted after a day.`,
    );
  }
  return statements.insertImage(site, {
    id: newId(),
    sha256: createHash('sha256').update(image.bytes).digest(),
    kind: image.kind,
    width: image.width,
    height: image.height,
    bytes: image.bytes,
    created_at: now,
  });
}

/** @throws AppError `invalid_field` with `data.problem` if it cannot be converted to an image */
export async function addImage(
  services: Services,
  siteId: string,
  kind: ImageKind,
  file: Buffer,
): Promise<KeptImage> {
  await services.limits.use(NEW_IMAGES, siteId);
  const image = await cleanImage(kind, file, 'body');
  const siteUrl = await urlOfSite(services, siteId);
  const kept = await services.database.inSite(siteId, (site) => keep(site, services.clock.now(), image));
  const { width, height } = kept;
  return { url: presentImageUrl(siteUrl, pathOf(kept)), width, height };
}

/** The image that a page will show: a new one, a stored one (by its path), or none. */
export type ImageInput = CleanImage | string;

/** The path of an image stored for this site; null if the URL is external. */
async function keptPath(
  services: Services,
  siteId: string,
  field: ImageKind,
  url: string,
): Promise<string | null> {
  const { host, path } = KEPT_IMAGE.exec(url)?.groups ?? {};
  if (path === undefined) return null;
  // Under any host name that the site has had.
  const [image] = await services.database.readSite(siteId, (site) => imagesOf(site, [path]));
  if (image !== undefined) return path;
  const isOurs =
    host === undefined ||
    host === new URL(services.config.appUrl).hostname ||
    (await findSiteOfHost(services, host)) !== null;
  if (isOurs) throw imageRefusal(field, 'not_of_this_site');
  return null;
}

async function fetchImage(
  services: Services,
  siteId: string,
  field: ImageKind,
  url: string,
): Promise<CleanImage> {
  if (!url.startsWith('https://') || !URL.canParse(url)) throw imageRefusal(field, 'unreachable');
  await services.limits.use(NEW_IMAGES, siteId);
  let download: Download;
  try {
    download = await services.outbound.download(url, {
      accept: IMAGE_TYPES.join(', '),
      maxBytes: MAX_IMAGE_BYTES,
    });
  } catch (error) {
    if (!(error instanceof OutboundError)) throw error;
    throw imageRefusal(field, error.kind === 'too_large' ? 'too_large' : 'unreachable', error);
  }
  if (download.status !== 200) throw imageRefusal(field, 'unreachable');
  return cleanImage(field, download.bytes, field);
}

/**
 * Resolves the URL in a page's `logo` or `favicon`. An external one is fetched once, before the page's transaction.
 * @throws AppError `invalid_field` naming the field, with `data.problem`
 */
export async function readImageInput(
  services: Services,
  siteId: string,
  field: ImageKind,
  url: string,
): Promise<ImageInput> {
  if (url === '') return '';
  return (await keptPath(services, siteId, field, url)) ?? fetchImage(services, siteId, field, url);
}

/**
 * Applies an image input in the page's transaction.
 * @returns the path that the page stores, or an empty string
 */
export async function storeImage(
  site: SiteDb,
  now: Date,
  field: ImageKind,
  input: ImageInput,
): Promise<string> {
  if (typeof input !== 'string') return pathOf(await keep(site, now, input));
  if (input === '') return '';
  await statements.lockImages(site);
  const [image] = await imagesOf(site, [input]);
  if (image === undefined || image.kind !== field) throw imageRefusal(field, 'not_of_this_site');
  return pathOf(image);
}

/** The stored images behind the values in pages; an external URL has none. */
export async function imagesOf(site: SiteDb, stored: readonly string[]): Promise<statements.ImageFacts[]> {
  const ids = stored.flatMap((text) => KEPT_IMAGE.exec(text)?.groups?.['id'] ?? []);
  return statements.findImages(site, ids);
}

/** The image that a page shows; null for none, and for an external URL from before images were stored here. */
export function shownImage(
  images: readonly statements.ImageFacts[],
  stored: string,
): { path: string; size: { width: number; height: number } } | null {
  const image = images.find((one) => pathOf(one) === stored);
  return image === undefined ? null : { path: stored, size: { width: image.width, height: image.height } };
}

/** The absolute URL of a stored value. */
export function presentImageUrl(siteUrl: string, stored: string): string {
  return stored.startsWith('/') ? `${siteUrl}${stored}` : stored;
}

/** @returns null if this site has no such image */
export async function readImage(
  services: Services,
  siteId: string,
  file: string,
): Promise<{ type: string; etag: string; bytes: Buffer } | null> {
  const id = KEPT_IMAGE.exec(`/images/${file}`)?.groups?.['id'];
  if (id === undefined) return null;
  const [image] = await services.database.readOnce(siteId, (db) => statements.imageContent(db, siteId, id));
  if (image === undefined || !file.endsWith(EXTENSION[image.kind])) return null;
  const type = `image/${EXTENSION[image.kind]}`;
  return { type, etag: `"${image.sha256.toString('hex')}"`, bytes: image.bytes };
}
