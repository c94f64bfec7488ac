import type { RestrictedTo } from '../../account/permissions.ts';
import type { SectionId } from './sections.ts';

/** The least role that a section is for; everybody sees the others. */
export const SECTION_NEEDS: Partial<Record<SectionId, RestrictedTo>> = {
  'api-keys': 'admin',
  'audit-log': 'admin',
};
