import type { Role } from '#contract/roles.ts';
import type { SectionId } from './sections.ts';

/** The least role that a section is for; everybody sees the others. */
export const SECTION_NEEDS: Partial<Record<SectionId, Role>> = { 'api-keys': 'admin', 'audit-log': 'admin' };
