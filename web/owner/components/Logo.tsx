/** The product's mark and name. */
export function Logo({ isMarkOnly = false }: { isMarkOnly?: boolean }) {
  return (
    <span className="inline-flex items-center gap-2.5 text-base font-semibold tracking-tight text-ink">
      <svg viewBox="0 0 32 32" width="28" height="28" aria-hidden className="shrink-0">
        <rect width="32" height="32" rx="8" className="fill-accent" />
        <path
          d="M8 10.500A2.500 2.500 0 0 1 10.500 8h11A2.500 2.500 0 0 1 24 10.500v8a2.500 2.500 0 0 1-2.500 2.500H16l-5 4v-4h-.5A2.500 2.500 0 0 1 8 18.500z"
          className="fill-on-accent"
        />
        <path
          d="m12.300 14.500 2.600 2.600 4.900-5"
          fill="none"
          strokeWidth="2.200"
          strokeLinecap="round"
          strokeLinejoin="round"
          className="stroke-accent"
        />
      </svg>
      {isMarkOnly ? <span className="sr-only">{PRODUCT_NAME}</span> : PRODUCT_NAME}
    </span>
  );
}

export const PRODUCT_NAME = 'Sayso';
