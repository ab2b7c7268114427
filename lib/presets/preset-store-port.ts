import type { PresetTemplate } from '../contract/resources/preset.ts';

/** A stored preset. Times are Unix seconds. */
export interface PresetRecord {
  readonly name: string;
  readonly title?: string | undefined;
  readonly description?: string | undefined;
  readonly template: PresetTemplate;
  readonly createdSecs: number;
  /** The time of the creation or of the last replacement. */
  readonly updatedSecs: number;
}

/**
 * Stores the presets, which all scopes share. Every method runs one transaction and resolves when the transaction is durable.
 * Throws `overloaded` if the store cannot write, and `internal` if the store is damaged.
 */
export interface PresetStore {
  /** Creates a preset. Throws `preset_exists` if the name is taken. Names are compared byte by byte. */
  create(preset: PresetRecord): Promise<void>;
  /** Replaces all fields except the time of creation. Resolves with undefined if the preset does not exist. */
  replace(preset: Omit<PresetRecord, 'createdSecs'>): Promise<PresetRecord | undefined>;
  /** Removes a preset. Resolves with true if the preset existed. */
  remove(name: string): Promise<boolean>;
  find(name: string): Promise<PresetRecord | undefined>;
  /** Resolves with the presets whose names follow `after`, sorted by name. `more` is true if further presets follow. */
  list(page: {
    readonly after?: string;
    readonly limit: number;
  }): Promise<{ readonly items: readonly PresetRecord[]; readonly more: boolean }>;
}
