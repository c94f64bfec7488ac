import type { ImportDetail, SomeImportOptions } from '#contract/imports.ts';
import { checkImport, getImport, uploadImport } from '#contract/imports.ts';
import { handleJob } from '#server/sync/imports/imports.jobs.ts';
import type { Calls, TestProduct } from './product.ts';
import type { World } from './world.ts';

const WORKING = ['reading', 'checking', 'applying'];

/** What a file of rows looks like. */
export function csv(...rows: string[]): Blob {
  return new Blob([rows.map((row) => `${row}\n`).join('')], { type: 'text/csv' });
}

export async function upload(
  product: Calls,
  world: World,
  file: Blob,
  file_name = 'people.csv',
): Promise<ImportDetail> {
  const call = { params: world.params, query: { file_name }, file };
  return product.call(uploadImport, call, world.owner);
}

export async function readImport(product: Calls, world: World, id: string): Promise<ImportDetail> {
  return product.call(getImport, { params: { ...world.params, id } }, world.owner);
}

/** The job that an import waits for. */
export async function jobOf(product: TestProduct, world: World, id: string) {
  const { rows } = await product.testDatabase.owner.query<{ round: number }>(
    'select round from imports where id = $1',
    [id],
  );
  return { site_id: world.site.id, id, round: rows[0]?.round ?? -1 };
}

/** Does one step of an import, as a worker would. */
export async function workOnce(product: TestProduct, world: World, id: string): Promise<void> {
  await handleJob(product.services, await jobOf(product, world, id));
}

/** Does the steps of an import until it comes to rest. */
export async function work(product: TestProduct, world: World, id: string): Promise<ImportDetail> {
  for (;;) {
    const found = await readImport(product, world, id);
    if (!WORKING.includes(found.status)) return found;
    await workOnce(product, world, id);
  }
}

/** Uploads a file and checks it, by its suggested mapping unless another one is given. */
export async function uploadAndCheck(
  product: TestProduct,
  world: World,
  file: Blob,
  body: {
    mapping?: NonNullable<ImportDetail['mapping']>;
    options?: SomeImportOptions;
    name?: string;
  } = {},
): Promise<ImportDetail> {
  const uploaded = await upload(product, world, file, body.name);
  const suggested = { ...uploaded.suggested_mapping, email: uploaded.suggested_mapping?.email ?? '' };
  const mapping = body.mapping ?? { lists: [], ...suggested };
  await product.call(
    checkImport,
    {
      params: { ...world.params, id: uploaded.id },
      body: { mapping, ...(body.options === undefined ? {} : { options: body.options }) },
    },
    world.owner,
  );
  return work(product, world, uploaded.id);
}
