-- What engine 3 measures. Columns without a default: instant, whatever the size of the table.
-- AlterTable
ALTER TABLE "result" ADD COLUMN     "certificate_compression_id" INTEGER,
ADD COLUMN     "false_start" BOOLEAN,
ADD COLUMN     "first_body_mark_us" INTEGER,
ADD COLUMN     "first_body_packet_us" INTEGER,
ADD COLUMN     "first_body_us" INTEGER,
ADD COLUMN     "flight_bytes" INTEGER,
ADD COLUMN     "http_alt_svc_id" INTEGER,
ADD COLUMN     "http_encoding_id" INTEGER,
ADD COLUMN     "http_first_body_record_bytes" INTEGER,
ADD COLUMN     "http_keep_alive" BOOLEAN,
ADD COLUMN     "http_work_us" INTEGER,
ADD COLUMN     "key_exchange_id" INTEGER,
ADD COLUMN     "mss" INTEGER,
ADD COLUMN     "tls_work_us" INTEGER,
ADD COLUMN     "window_bytes" INTEGER,
ADD COLUMN     "window_exact" BOOLEAN,
ADD COLUMN     "window_segments" INTEGER;
