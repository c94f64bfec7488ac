const mountains = (ink: string, sun: string) =>
  `<path d="M4 44 22 12l10 17 6-10 14 25z" fill="${ink}"/><circle cx="43" cy="11" r="5" fill="${sun}"/>`;

/** The name as shapes and not as text, so that it looks the same whatever fonts a machine has. */
const ACME =
  '<path d="M68 40 79 13h5l11 27h-6l-2.3-6H76.3l-2.3 6zm10-11h7l-3.5-9.5zM116 33.5c-1.5 4.3-5 7-9.800 7-6.400 0-11-4.600-11-10.700s4.600-10.700 11-10.700c4.800 0 8.3 2.700 9.800 7l-5 1.5c-.8-2.3-2.400-3.700-4.800-3.700-3.3 0-5.5 2.5-5.5 5.900s2.200 5.900 5.5 5.900c2.400 0 4-1.400 4.800-3.700zM120 40V19.5h5v2.800c1.3-2.100 3.5-3.200 6-3.200 3 0 5.200 1.400 6.3 3.700 1.5-2.400 3.900-3.700 6.900-3.700 4.900 0 7.600 3 7.600 8.200V40h-5.3V28.400c0-2.900-1.200-4.400-3.5-4.400-2.700 0-4.3 2-4.3 5.200V40h-5.3V28.400c0-2.900-1.200-4.400-3.5-4.400-2.700 0-4.5 2-4.5 5.200V40zM177 31.5h-15.600c.5 2.900 2.5 4.600 5.5 4.600 2.200 0 3.900-.9 4.800-2.5l4.600 1.600c-1.700 3.3-5.100 5.3-9.5 5.3-6.3 0-10.700-4.400-10.700-10.700s4.400-10.700 10.600-10.700 10.400 4.400 10.400 10.5zm-15.5-3.900h10.100c-.4-2.600-2.3-4.200-5-4.200s-4.600 1.600-5.100 4.200z"/>';

export const ACME_LOGO = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 182 52" fill="#1D2B27">${mountains('#1F6F5C', '#E0A526')}${ACME}</svg>`;
export const ACME_ICON = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 56 56">${mountains('#1F6F5C', '#E0A526')}</svg>`;
export const LABS_LOGO =
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 52 52" fill="none" stroke="#4B3F8F" stroke-width="4" stroke-linejoin="round"><path d="M20 6v14L7 44h38L32 20V6M16 6h20"/><path d="m14 32 24 0" stroke-width="3"/><circle cx="24" cy="38" r="1.5"/></svg>';
