-- Results that leave out what may be null are read with null there.
ALTER TABLE "result" DROP COLUMN "given";
