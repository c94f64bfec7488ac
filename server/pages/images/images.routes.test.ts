import { randomBytes } from 'node:crypto';
import sharp from 'sharp';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { ErrorBody } from '#contract/errors.ts';
import { type ImageKind, uploadImage } from '#contract/images.ts';
import {
  createPreferencePage,
  getPreferencePage,
  listPreferencePages,
  replacePreferencePage,
} from '#contract/preference-pages.ts';
import { getPublicPage } from '#contract/public-preferences.ts';
import { newId } from '#server/platform/ids.ts';
import { type CleanImage, sanitize } from '#server/platform/pictures/sanitize.ts';
import { type ImageHost, startImageHost } from '#test/fakes/image-host.ts';
import { startTestProduct, type TestProduct } from '#test/harness/product.ts';
import { buildSite, buildWorld, type World } from '#test/harness/world.ts';
import { insertImage } from './images.sql.ts';

let product: TestProduct;
let host: ImageHost;
let nora: World;
let acme: World;
let clean: Record<ImageKind, CleanImage>;

beforeAll(async () => {
  host = await startImageHost();
  product = await startTestProduct();
  nora = await buildWorld(product, 'nora');
  clean = { logo: await sanitized('logo'), favicon: await sanitized('favicon') };
});

beforeEach(async () => {
  acme = await buildSite(product, nora.owner, nora.params.organization_id);
  host.files.clear();
  host.asked.length = 0;
});

afterAll(async () => {
  await product.stop();
  await host.close();
});

function picture(width: number, height: number, colour = '#1f6f5c') {
  return sharp({ create: { width, height, channels: 3, background: colour } }).png();
}

async function upload(kind: 'logo' | 'favicon' = 'logo', colour = '#1f6f5c', world = acme) {
  const file = new Blob([new Uint8Array(await picture(400, 100, colour).toBuffer())], { type: 'image/png' });
  return product.call(uploadImage, { params: world.params, query: { kind }, file }, world.owner);
}

/** One that was uploaded before. Each that is really uploaded starts a process of its own. */
async function kept(kind: ImageKind = 'logo', world = acme): Promise<{ url: string }> {
  const image = { ...clean[kind], id: newId(), sha256: randomBytes(32), created_at: product.clock.now() };
  await product.services.database.inSite(world.site.id, (site) => insertImage(site, image));
  return { url: `${world.site.url}/images/${image.id}.${kind === 'logo' ? 'webp' : 'png'}` };
}

async function sanitized(kind: ImageKind): Promise<CleanImage> {
  const image = await sanitize(kind, await picture(400, 100).toBuffer());
  if ('problem' in image) throw new Error(image.problem);
  return image;
}

function save(changes: { logo?: string; favicon?: string }, world = acme) {
  const { page } = world;
  const body = {
    name: page.name,
    custom_path: page.custom_path,
    lists: [{ id: world.weekly.id }],
    ...changes,
  };
  return product.call(replacePreferencePage, { params: { ...world.params, id: page.id }, body }, world.owner);
}

async function refusedSave(changes: { logo?: string; favicon?: string }) {
  const { page, params, owner } = acme;
  const call = { params: { ...params, id: page.id } };
  const before = await product.call(getPreferencePage, call, owner);
  const body = { name: 'Another name', custom_path: page.custom_path, ...changes };
  const error = await product.refuse(replacePreferencePage, { ...call, body }, owner);
  expect(await product.call(getPreferencePage, call, owner)).toEqual(before);
  return error;
}

/** A request as a browser on that host makes it. */
async function get(url: string, headers: Record<string, string> = {}, method = 'GET') {
  const { hostname, pathname, search } = new URL(url);
  const response = await product.http.inject({
    method: method as 'GET',
    url: `${pathname}${search}`,
    headers: { host: hostname, ...headers },
  });
  return response;
}

async function countOfImages(): Promise<number> {
  const { rows } = await product.testDatabase.owner.query<{ count: number }>(
    'select count(*)::int as count from images where site_id = $1',
    [acme.site.id],
  );
  return rows[0]?.count ?? -1;
}

describe('an upload', () => {
  it('returns an address on the site and the size in pixels: 201', async () => {
    const logo = await upload();
    expect(logo).toEqual({
      url: expect.stringMatching(new RegExp(`^${acme.site.url}/images/[0-9a-f-]{36}\\.webp$`)),
      width: 400,
      height: 100,
    });
    expect(await upload('favicon')).toMatchObject({
      url: expect.stringMatching(/\.png$/),
      width: 64,
      height: 64,
    });
  });

  it('renders an SVG as sharp as a logo can be, and makes a photograph no larger than that', async () => {
    const drawing =
      '<svg xmlns="http://www.w3.org/2000/svg" width="10" height="5"><path d="M0 0 10 5"/></svg>';
    const call = { params: acme.params, query: { kind: 'logo' as const } };
    const file = new Blob([drawing], { type: 'image/svg+xml' });
    expect(await product.call(uploadImage, { ...call, file }, acme.owner)).toMatchObject({
      width: 384,
      height: 192,
    });
    const photograph = new Blob([new Uint8Array(await picture(4000, 3000).toBuffer())], {
      type: 'image/png',
    });
    const answer = await product.call(uploadImage, { ...call, file: photograph }, acme.owner);
    expect(answer).toMatchObject({ width: 256, height: 192 });
  });

  it('of the same picture returns the same image', async () => {
    const [first, second, other] = [await upload(), await upload(), await upload('logo', '#000000')];
    expect(second).toEqual(first);
    expect(other.url).not.toBe(first.url);
    expect(await countOfImages()).toBe(2);
  });

  it('that no page uses is deleted after a day; one that a page uses stays', async () => {
    const used = await kept();
    await save({ logo: used.url });
    const unused = await kept();
    const overADayAgo = new Date(product.clock.now().getTime() - 86_401_000);
    await product.testDatabase.owner.query('update images set created_at = $2 where site_id = $1', [
      acme.site.id,
      overADayAgo,
    ]);
    const fresh = await upload();
    expect((await get(used.url)).statusCode).toBe(200);
    expect((await get(fresh.url)).statusCode).toBe(200);
    expect((await get(unused.url)).statusCode).toBe(404);
    const error = await refusedSave({ logo: unused.url });
    expect(error).toMatchObject({ status: 422, data: { problem: 'not_of_this_site' } });
  });

  it('beyond 400 images of a site answers 422 limit_reached', async () => {
    await product.testDatabase.owner.query(
      `insert into images select $1, gen_random_uuid(), decode(md5(n::text), 'hex'), 'logo', 1, 1, '\\x00', $2
       from generate_series(1, 400) as n`,
      [acme.site.id, product.clock.now()],
    );
    await expect(upload()).rejects.toMatchObject({ status: 422, errors: [{ code: 'limit_reached' }] });
  });

  it('with no kind or an unknown one answers 422', async () => {
    const query = { kind: 'poster' as 'logo' };
    const file = new Blob(['x'], { type: 'image/png' });
    const error = await product.refuse(uploadImage, { params: acme.params, query, file }, acme.owner);
    expect(error).toMatchObject({ status: 422, errors: [{ field: 'kind' }] });
  });

  it('is limited to 60 in ten minutes per site', async () => {
    const tries = Array.from({ length: 61 }, () => {
      const file = new Blob(['no picture'], { type: 'image/png' });
      return product.refuse(uploadImage, { params: acme.params, query: { kind: 'logo' }, file }, acme.owner);
    });
    const statuses = (await Promise.all(tries)).map((error) => error.status);
    expect(statuses.filter((status) => status === 429)).toHaveLength(1);
  });
});

describe('a stored image', () => {
  it('is served on its site forever, as what it is and nothing else', async () => {
    const { url } = await kept();
    const answer = await get(url);
    expect(answer.statusCode).toBe(200);
    expect(answer.headers).toMatchObject({
      'content-type': 'image/webp',
      'cache-control': 'public, max-age=31536000, immutable',
      'content-security-policy': "default-src 'none'; sandbox",
      'x-content-type-options': 'nosniff',
      etag: expect.stringMatching(/^"[0-9a-f]{64}"$/),
    });
    expect(await sharp(answer.rawPayload).metadata()).toMatchObject({
      format: 'webp',
      width: 400,
      height: 100,
    });
    const icon = await get((await kept('favicon')).url);
    expect(icon.headers['content-type']).toBe('image/png');
    expect(await sharp(icon.rawPayload).metadata()).toMatchObject({ format: 'png', width: 64, height: 64 });
  });

  it('is not sent again to a browser that has it: 304; HEAD returns its length', async () => {
    const { url } = await kept();
    const { headers, rawPayload } = await get(url);
    const again = await get(url, { 'if-none-match': String(headers.etag) });
    expect(again).toMatchObject({ statusCode: 304, body: '' });
    const head = await get(url, {}, 'HEAD');
    expect(head).toMatchObject({ statusCode: 200, body: '' });
    expect(head.headers['content-length']).toBe(String(rawPayload.length));
  });

  it('is served on no other site, and on the app host only with its site’s name', async () => {
    const { url } = await kept();
    const { pathname } = new URL(url);
    expect((await get(`${nora.site.url}${pathname}`)).statusCode).toBe(404);
    expect((await get(`${product.url}${pathname}`)).statusCode).toBe(404);
    expect((await get(`${product.url}${pathname}?site=${acme.site.id}`)).statusCode).toBe(200);
    expect((await get(`${product.url}${pathname}?site=${nora.site.id}`)).statusCode).toBe(404);
    expect((await get(`${product.url}${pathname}?site=x`)).statusCode).toBe(404);
    expect((await get(`http://unknown.example${pathname}`)).statusCode).toBe(404);
  });

  it('answers 404 when it does not exist, whatever is requested', async () => {
    const { url } = await kept();
    const id = '018f4e1c-0000-7000-8000-000000000000';
    const asked = [`${id}.webp`, `${id}.svg`, 'x.png', '..%2f..%2fetc%2fpasswd', '', `%00.png`];
    for (const file of asked) {
      expect({ file, status: (await get(`${acme.site.url}/images/${file}`)).statusCode }).toEqual({
        file,
        status: 404,
      });
    }
    expect((await get(url.replace('.webp', '.png'))).statusCode).toBe(404);
  });
});

describe('a page', () => {
  it('stores an uploaded image by its address, and returns it to be saved again', async () => {
    const [logo, favicon] = [await kept(), await kept('favicon')];
    const page = await save({ logo: logo.url, favicon: favicon.url });
    expect(page).toMatchObject({ logo: logo.url, favicon: favicon.url });
    expect(await save({ logo: page.logo, favicon: page.favicon })).toMatchObject({ logo: logo.url });
    // As the editor on the app host has it, and without a host.
    const { pathname } = new URL(logo.url);
    expect(await save({ logo: `${product.url}${pathname}?site=${acme.site.id}` })).toMatchObject({
      logo: logo.url,
    });
    expect(await save({ logo: pathname })).toMatchObject({ logo: logo.url, favicon: '' });
    const { results } = await product.call(listPreferencePages, { params: acme.params }, acme.owner);
    expect(results).toMatchObject([{ logo: logo.url }]);
  });

  it('shows it from its own host, with its size, and may load no image from elsewhere', async () => {
    const [logo, favicon] = [await kept(), await kept('favicon')];
    await save({ logo: logo.url, favicon: favicon.url });
    const path = new URL(logo.url).pathname;
    const shown = await product.call(getPublicPage, { params: { custom_path: 'preferences' } }, acme.visitor);
    expect(shown).toMatchObject({
      logo: path,
      logo_size: { width: 400, height: 100 },
      favicon: new URL(favicon.url).pathname,
    });
    const document = await get(acme.page.url);
    expect(document.headers['content-security-policy']).toMatch(/(^|; )img-src 'self' data:(;|$)/);
    expect(document.body).toContain(`src="${path}"`);
    expect(document.body).toMatch(/<img[^>]* width="192" height="48"/);
    expect(document.body).toContain(`<link rel="icon" href="${new URL(favicon.url).pathname}">`);
  });

  it('fetches an external picture once, when it is saved, and stores it', async () => {
    host.files.set('/logo.png', { bytes: await picture(300, 60).toBuffer() });
    host.files.set('/icon', {
      bytes: await picture(32, 32).toBuffer(),
      headers: { 'content-type': 'text/html' },
    });
    const page = await save({ logo: `${host.url}/logo.png`, favicon: `${host.url}/icon` });
    expect(page.logo).toMatch(new RegExp(`^${acme.site.url}/images/.+\\.webp$`));
    expect(page.favicon).toMatch(new RegExp(`^${acme.site.url}/images/.+\\.png$`));
    await save({ logo: page.logo, favicon: page.favicon });
    expect((await get(page.logo)).statusCode).toBe(200);
    expect(host.asked).toEqual(['/logo.png', '/icon']);
  });

  it('can be created with one', async () => {
    host.files.set('/logo.png', { bytes: await picture(300, 60).toBuffer() });
    const body = { name: 'New', custom_path: 'new', logo: `${host.url}/logo.png` };
    const page = await product.call(createPreferencePage, { params: acme.params, body }, acme.owner);
    expect(page.logo).toMatch(/\.webp$/);
    // What fails for another reason leaves no image behind.
    const taken = { ...body, logo: `${host.url}/other.png` };
    host.files.set('/other.png', { bytes: await picture(30, 60).toBuffer() });
    await product.refuse(createPreferencePage, { params: acme.params, body: taken }, acme.owner);
    expect(await countOfImages()).toBe(1);
  });

  it.each([
    ['is not there', '/gone.png', undefined, 'unreachable'],
    [
      'leads elsewhere',
      '/moved',
      { bytes: Buffer.alloc(0), status: 302, headers: { location: '/logo.png' } },
      'unreachable',
    ],
    ['fails', '/broken', { bytes: Buffer.alloc(0), status: 500 }, 'unreachable'],
    ['is a page', '/page', { bytes: Buffer.from('<!doctype html><p>Hello') }, 'not_an_image'],
    ['is empty', '/empty', { bytes: Buffer.alloc(0) }, 'empty'],
    ['never ends', '/large', { bytes: Buffer.alloc(3 * 1024 * 1024) }, 'too_large'],
  ])('is not saved with an external picture that %s: 422', async (_what, path, file, problem) => {
    host.files.set('/logo.png', { bytes: await picture(3, 3).toBuffer() });
    if (file !== undefined) host.files.set(path, file);
    for (const field of ['logo', 'favicon']) {
      const error = await refusedSave({ [field]: `${host.url}${path}` });
      expect(error).toMatchObject({
        status: 422,
        data: { problem },
        errors: [{ code: 'invalid_field', field }],
      });
      expect(error.message).toMatch(new RegExp(`^${field}: .+\\. [A-Z].+\\.$`));
    }
    expect(host.asked).not.toContain('/logo.png');
    expect(await countOfImages()).toBe(0);
  });

  it('accepts no image of another site or of the other kind', async () => {
    const [theirs, icon] = [await kept('logo', nora), await kept('favicon')];
    const own = icon.url;
    for (const logo of [theirs.url, new URL(theirs.url).pathname, own]) {
      const error = await refusedSave({ logo });
      expect(error).toMatchObject({
        status: 422,
        data: { problem: 'not_of_this_site' },
        errors: [{ field: 'logo' }],
      });
    }
  });

  it('does not show an external address from before images were stored, and fetches it at the next save', async () => {
    host.files.set('/old.png', { bytes: await picture(300, 60).toBuffer() });
    const old = `${host.url}/old.png`;
    await product.testDatabase.owner.query(
      'update preference_pages set logo = $1, favicon = $1 where id = $2',
      [old, acme.page.id],
    );
    const call = { params: { ...acme.params, id: acme.page.id } };
    expect(await product.call(getPreferencePage, call, acme.owner)).toMatchObject({
      logo: old,
      favicon: old,
    });
    const shown = await product.call(getPublicPage, { params: { custom_path: 'preferences' } }, acme.visitor);
    expect(shown).toMatchObject({ logo: '', logo_size: null, favicon: '' });
    expect((await get(acme.page.url)).body).not.toContain(host.url);
    expect((await save({ logo: old })).logo).toMatch(/\.webp$/);
  });
});

describe('an address inside the network', () => {
  it('is never fetched as a picture', async () => {
    const guarded = await startTestProduct({ env: { ALLOW_PRIVATE_TARGETS: '0' } });
    try {
      const world = await buildWorld(guarded);
      const params = { ...world.params, id: world.page.id };
      host.files.set('/logo.png', { bytes: await picture(3, 3).toBuffer() });
      const addresses = [
        host.url,
        host.url.replace('localhost', '127.0.0.1'),
        'https://169.254.169.254',
        'https://[::1]:8443',
      ];
      for (const address of addresses) {
        const body = { name: 'Acme', custom_path: 'preferences', logo: `${address}/logo.png` };
        const error = await guarded.refuse(replacePreferencePage, { params, body }, world.owner);
        expect(error).toMatchObject({ status: 422, data: { problem: 'unreachable' } });
        // Whether a server listens there must stay private.
        expect((error.errors satisfies ErrorBody['meta']['errors'])[0]?.message).not.toContain('private');
      }
      expect(host.asked).toEqual([]);
    } finally {
      await guarded.stop();
    }
  });
});
