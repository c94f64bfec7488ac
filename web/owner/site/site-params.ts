/** The ids that name a site in the API's paths. */
export interface SiteParams {
  organization_id: string;
  site_id: string;
}

/** Just the ids, without whatever else the value carries. */
export function siteParams({ organization_id, site_id }: SiteParams): SiteParams {
  return { organization_id, site_id };
}
