/** What each event type's payload must have (SPEC "Event types (v1)"). Types that are not here are taken as they are. */
export const REQUIRED_FIELDS: ReadonlyMap<string, readonly string[]> = new Map([
  ['visit_started', ['caregiver_id', 'scheduled_start', 'actual_start']],
  ['visit_ended', ['caregiver_id', 'actual_end', 'duration_minutes']],
  ['note_added', ['caregiver_id', 'note_text']],
  ['med_administered', ['medication_name', 'dose_amount', 'dose_unit', 'administered_by']],
  ['vital_recorded', ['vital_type', 'value', 'unit', 'recorded_by']],
])
