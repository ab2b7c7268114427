/** The id of the list of earlier searches and prompts, which the search field controls. */
export const PANEL_ID = 'earlier-searches';
