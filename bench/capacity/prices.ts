// List prices of one cloud (AWS, us-east-1, on demand, 2026), in US dollars. A contract for a year or three costs half.

const HOURS_A_MONTH = 730

/** A virtual processor with 4 GB of memory (m7g.large: 0.0816 an hour for two). */
export const VCPU_A_MONTH = (0.0816 / 2) * HOURS_A_MONTH
/** A GB of disk (gp3). */
export const DISK_GB_A_MONTH = 0.08
/** A GB of object storage (S3): backups, and files if they are kept there. */
export const OBJECT_GB_A_MONTH = 0.023
/** A mail that is sent (SES). */
export const MAIL_SENT = 0.1 / 1000
/** A GB that leaves. */
export const TRAFFIC_GB = 0.09
