/** How long an access token lasts (spec 1 §5). */
export const TOKEN_LIFETIME_SECONDS = 3600;
