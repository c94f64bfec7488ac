/**
 * The content security policy lets no code be made of text. Zod would try each time it is loaded, to be quicker, which
 * browsers report; told here, before its first schema, it does not. What `z.config` sets, without loading zod for it.
 */
Object.assign(globalThis, { __zod_globalConfig: { jitless: true } });
