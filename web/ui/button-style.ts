export type ButtonVariant = 'primary' | 'secondary' | 'danger' | 'ghost';
export type ButtonSize = 'sm' | 'md';

const BASE =
  'relative inline-flex shrink-0 cursor-pointer items-center justify-center gap-2 rounded-lg border font-medium no-underline select-none transition-colors duration-100 disabled:cursor-not-allowed data-disabled:cursor-not-allowed data-disabled:opacity-50 pointer-coarse:min-h-11 [&_svg]:size-4 [&_svg]:shrink-0';

const VARIANTS: Record<ButtonVariant, string> = {
  primary: 'border-transparent bg-accent text-on-accent hover:bg-accent-hover',
  secondary: 'border-line bg-surface text-ink hover:bg-hover',
  danger: 'border-transparent bg-danger text-on-danger hover:bg-danger-hover',
  ghost: 'border-transparent bg-transparent text-ink hover:bg-hover',
};

const SIZES: Record<ButtonSize, string> = {
  sm: 'min-h-7 px-2.5 py-0.5',
  md: 'min-h-9 px-3.5 py-1.5',
};

export function buttonStyle(variant: ButtonVariant, size: ButtonSize): string {
  return `${BASE} ${VARIANTS[variant]} ${SIZES[size]}`;
}
