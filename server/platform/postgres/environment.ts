/** What PostgreSQL gets to see: none of the product's secrets, and no PG... setting that would steer it. */
export function cleanEnvironment(): NodeJS.ProcessEnv {
  const { PATH, SystemRoot, TEMP, TMPDIR } = process.env;
  return { PATH, SystemRoot, TEMP, TMPDIR, LC_ALL: 'C', TZ: 'UTC' };
}
