/**
 * The content security policy forbids `eval`. Zod tries it on load, for speed, and browsers report the violation; this
 * setting, made before its first schema, turns that off. It is what `z.config` sets, without loading zod.
 */
Object.assign(globalThis, { __zod_globalConfig: { jitless: true } });
