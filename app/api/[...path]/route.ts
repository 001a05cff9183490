/** Whatever is asked of the API: the table says who answers. */
export {
  answer as DELETE,
  answer as GET,
  answer as OPTIONS,
  answer as PATCH,
  answer as POST,
  answer as PUT,
} from '#server/api/api.ts';
