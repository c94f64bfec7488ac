import { z } from 'zod';
import { id } from './fields.ts';

/** Start of every path of a site's own things. */
export const SITE_PATH = '/core/v1/organizations/{organization_id}/sites/{site_id}';

export const siteParams = z.object({ organization_id: id, site_id: id });
export const siteItemParams = siteParams.extend({ id });
