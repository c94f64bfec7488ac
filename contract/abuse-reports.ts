export const REPORT_REASONS = ['phishing', 'unasked', 'illegal', 'other'] as const;

export type ReportReason = (typeof REPORT_REASONS)[number];

/** The longest details of a report, in characters. */
export const MAX_REPORT_DETAILS = 2000;
